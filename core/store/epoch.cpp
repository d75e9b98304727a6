#include "core/store/epoch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>

#include "core/base/file_stamp.h"
#include "core/store/file_tools.h"

namespace weir::store {

namespace {

std::string text_of(const StoreDir& dir, const char* name) {
  return read_small_file(dir.root(), name).value_or("none");
}

}  // namespace

std::string this_boot() {
  auto text = read_small_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id").value_or("unknown");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string Epoch::stamp() const { return boot_id_ + " " + text_of(dir_, "epoch"); }

// The file `format` is never written again, so its times are part of what the store is: changing them needs
// no room.
Status Epoch::something_was_removed() {
  auto told = dir_.replace_file("epoch", random_name());
  if (!told) ::utimensat(dir_.root(), "format", nullptr, 0);
  return told;
}

std::string whole_stamp(const std::string& path) {
  const auto epoch = read_small_file(AT_FDCWD, (path + "/epoch").c_str()).value_or("none");
  return fmt::format("{} {} {:x}", this_boot(), epoch, weir::stamp_of((path + "/format").c_str()).value);
}

Status Epoch::object_was_damaged() {
  if (auto done = dir_.replace_file("generation", random_name()); !done) return done;
  return something_was_removed();
}

std::string Epoch::stage_directory() const {
  // Hashed, since both parts come from files and become one name.
  return "stage/" + digest_of(boot_id_ + " " + text_of(dir_, "generation")).hex().substr(0, 16);
}

Epoch::Boot Epoch::boot() const {
  const auto text = text_of(dir_, "boot");
  const auto space = text.find(' ');
  if (space == std::string::npos || text.back() != '\n') return {};
  return {text.substr(0, space), std::strtoll(text.c_str() + space + 1, nullptr, 10)};
}

Status Epoch::set_synced(std::int64_t before_ns) {
  return dir_.replace_file("boot", fmt::format("{} {}\n", boot_id_, before_ns));
}

}  // namespace weir::store
