#include "core/project/cache_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/owned_path.h"

namespace weir {

namespace {

// What is directly in the cache; everything else is below.
constexpr const char* kCacheFolders[] = {"projects", "store", "snapshots", "sources", "remotes"};

constexpr const char* kElsewhere = "set cache.dir or WEIR_CACHE_DIR to a folder of your own";

tl::unexpected<Error> refuse_cache(const Settings& settings, const Error& error) {
  return fail(Reason::usage,
              fmt::format("the cache {} is not safe to use: {}", settings.cache_dir.value, error.message),
              fmt::format("{}, or {}; others may have changed what is in a cache that they could write to",
                          error.remedy, kElsewhere));
}

Status check_place(const Result<ResolvedPath>& place, bool shared) {
  if (!place) return tl::unexpected(place.error());
  if (shared || !place->found || !S_ISDIR(place->info.st_mode)) return {};
  return check_owned_folder(place->info, place->path);
}

// Of what is in the cache itself a link is its owner's way to use another disk.
Status check_inside(const ResolvedPath& cache, const char* name, Way way) {
  struct stat info {};
  const auto path = fmt::format("{}/{}", cache.path, name);
  if (::fstatat(cache.found.get(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (S_ISLNK(info.st_mode)) return check_place(resolve_path(path, way), way == Way::any_owner);
  if (way == Way::any_owner || !S_ISDIR(info.st_mode)) return {};
  return check_owned_folder(info, path);
}

}  // namespace

Result<bool> check_cache_folder(const Settings& settings) {
  const bool shared = settings.cache_shared.value;
  const auto way = shared ? Way::any_owner : Way::owned;
  const auto cache = resolve_path(settings.cache_dir.value, way);
  auto good = check_place(cache, shared);
  for (const auto* name : kCacheFolders)
    if (good && cache->found) good = check_inside(*cache, name, way);
  // Only what other users could have done is refused here: whoever needs a folder that cannot be read or made
  // tells that.
  if (!good && good.error().reason == Reason::usage) return refuse_cache(settings, good.error());
  return cache && cache->found;
}

Status make_cache_folder(const Settings& settings) {
  const auto& path = settings.cache_dir.value;
  const auto failed = [&](const Error& error) {
    return fail(error.reason, error.message, error.remedy.empty() ? kElsewhere : error.remedy);
  };
  if (!settings.cache_shared.value) {
    const auto made = make_owned_folder(path);
    if (!made) return failed(made.error());
    // Here, for the user alone whatever the umask is. Who needs one that cannot be made says so.
    for (const auto* name : kCacheFolders) (void)::mkdirat(made->get(), name, 0700);
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? failed(fail_errno("making " + path, error.value()).value()) : Status();
}

}  // namespace weir
