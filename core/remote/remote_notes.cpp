#include "core/remote/remote_notes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/store/digest.h"
#include "core/store/file_tools.h"

namespace weir {

namespace {

constexpr std::int64_t kDay = 24 * 3600;
constexpr std::size_t kMostLines = 1'000'000;

}  // namespace

std::string RemoteNotes::file_for(const std::string& folder, std::string_view url) {
  return folder + "/" + store::digest_of(url).hex().substr(0, 32);
}

RemoteNotes::RemoteNotes(std::string file, std::function<std::int64_t()> wall_seconds)
    : file_(std::move(file)), now_(std::move(wall_seconds)) {
  read(known_, bad_);
}

// Lines are "has KEY TIME" and "bad NAME"; others are passed over.
void RemoteNotes::read(Times& known, Names& bad) const {
  std::istringstream in(store::read_small_file(AT_FDCWD, file_.c_str()).value_or(""));
  std::string what, name;
  const auto oldest = now_() - kDay;
  for (std::size_t line = 0; line < kMostLines && in >> what >> name; ++line) {
    if (what == "bad") bad.insert(name);
    if (what != "has") continue;
    std::int64_t time = 0;
    if (in >> time && time >= oldest && time <= now_()) known[name] = std::max(known[name], time);
  }
}

bool RemoteNotes::knows(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  return known_.find(key) != known_.end() && bad_.find(key) == bad_.end();
}

void RemoteNotes::learn(std::string_view key) {
  const std::lock_guard lock(mutex_);
  known_.insert_or_assign(std::string(key), now_());
  forgotten_.erase(std::string(key));
  changed_ = true;
}

void RemoteNotes::forget(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(key);
  if (at == known_.end()) return;
  forgotten_.emplace(key);
  known_.erase(at);
  changed_ = true;
}

bool RemoteNotes::is_bad(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return bad_.find(name) != bad_.end();
}

void RemoteNotes::set_bad(std::string_view name) {
  const std::lock_guard lock(mutex_);
  changed_ |= bad_.emplace(name).second;
  mended_.erase(std::string(name));
}

void RemoteNotes::set_good(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto at = bad_.find(name);
  if (at == bad_.end()) return;
  bad_.erase(at);
  mended_.emplace(name);
  changed_ = true;
}

Status RemoteNotes::save() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(changed_, false)) return {};
  Times known;
  Names bad;
  read(known, bad);
  for (const auto& [key, time] : known_) known[key] = std::max(known[key], time);
  for (const auto& key : forgotten_) known.erase(key);
  bad.insert(bad_.begin(), bad_.end());
  for (const auto& name : mended_) bad.erase(name);
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), ignored);
  if (auto removed = store::remove_unless_regular(AT_FDCWD, file_); !removed) return removed;
  const auto temporary = fmt::format("{}.{}", file_, ::getpid());
  std::ofstream out(temporary);
  for (const auto& [key, time] : known) out << "has " << key << ' ' << time << '\n';
  for (const auto& name : bad) out << "bad " << name << '\n';
  out.close();
  if (out && std::rename(temporary.c_str(), file_.c_str()) == 0) return {};
  const auto failed = fail_errno("writing " + file_);
  ::unlink(temporary.c_str());
  return failed;
}

}  // namespace weir
