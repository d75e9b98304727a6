#include "core/exec/weir_transfer/download.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/exec/weir_transfer/copy_file.h"
#include "core/exec/weir_transfer/http_get.h"
#include "core/exec/weir_transfer/part_file.h"
#include "core/exec/weir_transfer/url.h"

namespace weir::transfer {
namespace {

// How often one process goes on after a cut, each time only if bytes came. More is for the scheduler to
// decide, which waits in between.
constexpr int kResumes = 10;
// A server that cannot go on is asked for the whole, which it can refuse only by an error.
constexpr int kRestarts = 2;

class Download {
 public:
  Download(const DownloadOrder& order, Address from, Spot target, UniqueFd parts)
      : order_(order), from_(std::move(from)), target_(std::move(target)), parts_(std::move(parts)) {}

  Done run() {
    if (const auto taken = take_finished(); !taken || *taken)
      return taken ? Done() : tl::unexpected(taken.error());
    auto part = PartFile::open(parts_.get(), order_.url, from_.shown);
    if (!part) return tl::unexpected(part.error());
    // Whoever had the lock before us may have brought it.
    if (const auto taken = take_finished(); !taken || *taken) {
      part->drop();
      return taken ? Done() : tl::unexpected(taken.error());
    }
    return from_.local_path.empty() ? from_network(*part) : from_disk(*part);
  }

 private:
  std::string finished_name(const std::string& digest) const { return "sha256-" + digest; }

  // True if an earlier download without a digest brought this file. A damaged one is dropped.
  Expected<bool> take_finished() {
    if (order_.sha256.empty()) return false;
    const auto name = finished_name(order_.sha256);
    const UniqueFd file(::openat(parts_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && errno == ELOOP) ::unlinkat(parts_.get(), name.c_str(), 0);
    struct stat info {};
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
    // One that has a second name belongs to somebody else too, who may write to it.
    auto good = info.st_nlink == 1 ? rename_finished(file.get(), name)
                                   : copy_file(file.get(), target_, order_.executable, order_.sha256);
    if (good) ::unlinkat(parts_.get(), name.c_str(), 0);
    return good;
  }

  Expected<bool> rename_finished(int file, const std::string& name) {
    Sha256 hash;
    const auto read = read_all(file, name, [&](std::string_view bytes) -> Done {
      hash.update(bytes);
      return {};
    });
    if (!read) return tl::unexpected(read.error());
    if (hash.hex() != order_.sha256) return false;
    const bool renamed =
        ::fchmod(file, mode_of(order_.executable)) == 0 &&
        ::renameat(parts_.get(), name.c_str(), target_.directory.get(), target_.name.c_str()) == 0;
    if (renamed) return true;
    if (errno == EXDEV) return copy_file(file, target_, order_.executable, order_.sha256);
    if (errno == ENOENT) return false;  // another process was quicker
    return system_trouble("writing", target_.shown);
  }

  Done from_disk(PartFile& part) {
    auto done = copy_to(part);
    if (!done) {
      part.drop();
      return done;
    }
    return finish(part);
  }

  Done copy_to(PartFile& part) {
    if (auto clean = part.restart(); !clean) return clean;
    const auto file = open_file({{}, from_.local_path});
    if (!file) return tl::unexpected(file.error());
    return read_all(file->get(), from_.shown, [&](std::string_view bytes) { return part.append(bytes); });
  }

  Done from_network(PartFile& part) {
    if (auto ready = part.take_up(!order_.sha256.empty()); !ready) return ready;
    auto fetched = fetch_checked(part);
    if (fetched) return finish(part);
    // Bytes are kept for later only if they can be gone on with; a full disk needs its room back.
    if (fetched.error().exit == TransferExit::infra) part.drop();
    else part.leave();
    return fetched;
  }

  Done fetch_checked(PartFile& part) {
    const bool resumed = part.can_resume();
    if (resumed && part.digest() == order_.sha256) return {};  // only the rename was missing
    if (auto fetched = fetch(part); !fetched) return fetched;
    if (!resumed || matches(part)) return {};
    // What an earlier process left may have been damaged, or the server has changed the file and kept its
    // ETag.
    if (auto clean = part.restart(); !clean) return clean;
    return fetch(part);
  }

  Done fetch(PartFile& part) {
    const auto limits = NetworkLimits::from_environment();
    int resumes = 0;
    int restarts = 0;
    for (;;) {
      const auto before = part.size();
      auto result = http_get(from_.url, from_.shown, part, limits);
      if (result.end == HttpEnd::complete) return {};
      if (result.end == HttpEnd::from_zero) {
        if (restarts++ == kRestarts)
          return trouble(TransferExit::network,
                         fmt::format("downloading {}: the server answers with wrong ranges", from_.shown));
        if (auto clean = part.restart(); !clean) return clean;
        continue;
      }
      const bool go_on =
          result.end == HttpEnd::cut && part.can_resume() && part.size() > before && resumes++ < kResumes;
      if (!go_on) return tl::unexpected(std::move(result.trouble));
    }
  }

  bool matches(const PartFile& part) const { return order_.sha256.empty() || part.digest() == order_.sha256; }

  Done finish(PartFile& part) {
    const auto digest = part.digest();
    if (!matches(part)) {
      part.drop();
      return trouble(
          TransferExit::source,
          fmt::format(
              "{} has the SHA-256 {}, but the ref is {}; if it was changed on purpose, run `weir track`",
              from_.shown, digest, order_.sha256));
    }
    const bool unknown = order_.sha256.empty();
    if (auto moved =
            part.move_to(target_, order_.executable, unknown ? finished_name(digest) : std::string());
        !moved)
      return moved;
    if (unknown) fmt::print("sha256 {}\n", digest);
    return {};
  }

  const DownloadOrder& order_;
  Address from_;
  Spot target_;
  UniqueFd parts_;
};

}  // namespace

Done download(const DownloadOrder& order) {
  auto address = parse_address(order.url);
  if (!address) return tl::unexpected(address.error());
  auto target = make_way_to(order.to);
  if (!target) return tl::unexpected(target.error());
  auto parts = make_way_to({{}, order.parts + "/."});
  if (!parts) return tl::unexpected(parts.error());
  return Download(order, std::move(*address), std::move(*target), std::move(parts->directory)).run();
}

}  // namespace weir::transfer
