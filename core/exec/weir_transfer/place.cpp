#include "core/exec/weir_transfer/place.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/beneath.h"
#include "core/base/owned_path.h"

namespace weir::transfer {
namespace {

// Non-blocking: a pipe without a writer must not hold us up before we see that it is one.
constexpr int kRead = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

UniqueFd open_folder(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

UniqueFd make_parent(const Place& place, std::string_view parent) {
  if (!place.root.empty()) {
    const auto root = open_folder(place.root);
    return root ? make_directory_beneath(root.get(), parent, 0755) : UniqueFd();
  }
  // Links are followed wherever they lead, as everybody expects of a plain path.
  if (parent.empty()) return open_folder(place.path.starts_with('/') ? "/" : ".");
  std::error_code ignored;  // opening tells
  std::filesystem::create_directories(parent, ignored);
  return open_folder(std::string(parent));
}

UniqueFd open_for_reading(const Place& place) {
  if (place.root.empty()) return UniqueFd(::open(place.path.c_str(), kRead));  // its links were looked at
  const auto root = open_folder(place.root);
  return root ? open_beneath(root.get(), place.path, kRead) : UniqueFd();
}

}  // namespace

std::string shown(const Place& place) {
  return shown(place.root.empty() ? place.path : place.root + "/" + place.path);
}

Expected<Spot> make_way_to(const Place& place) {
  std::string_view path = place.path;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto [parent, name] = split_last(path);
  Spot spot{make_parent(place, parent), std::string(name.empty() ? "." : name), shown(place)};
  if (!spot.directory) return system_trouble("opening the folder of", spot.shown);
  return spot;
}

Expected<UniqueFd> open_file(const Place& place) {
  const auto refuse = [&](std::string_view why) {
    return trouble(TransferExit::source, fmt::format("reading '{}': {}", shown(place), why));
  };
  UniqueFd file;
  if (place.root.empty()) {
    // Somebody else whose folder the project is in may have put a link there since weir looked.
    auto opened = open_output(place.path, kRead);
    if (!opened && opened.error().reason == Reason::usage) return refuse(opened.error().message);
    if (opened) file = std::move(*opened);
  }
  if (!file) file = open_for_reading(place);
  if (!file && (errno == ENOENT || errno == ENOTDIR || errno == EXDEV || errno == EACCES || errno == ELOOP))
    return refuse(errno == EXDEV ? "a link leads out of its folder" : ::strerrordesc_np(errno));
  if (!file) return system_trouble("reading", shown(place));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_trouble("reading", shown(place));
  if (S_ISDIR(info.st_mode)) return refuse("it is a folder, not a file");
  if (!S_ISREG(info.st_mode)) return refuse("it is no ordinary file");
  return file;
}

}  // namespace weir::transfer
