#include "core/snapshot/sweep.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "core/base/fd.h"

namespace weir::snapshot {

namespace {

// Enough to make the counter cheap, few enough to end together. A thread that starts costs as much as a
// hundred paths.
constexpr std::size_t kWatchesAtOnce = 1024;
constexpr std::size_t kWorthAThread = 4 * kWatchesAtOnce;

class Sweep {
 public:
  explicit Sweep(const SweepInput& input) : input_(input), root_(open_folder(AT_FDCWD, input.root.c_str())) {
    for (const auto& folder : input.folders)
      folders_.push_back(open_folder(root_.get(), input.paths.data() + folder.at));
  }

  std::vector<Changed> run() {
    const auto all = input_.watches.size();
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const auto threads = std::clamp<std::size_t>(all / kWorthAThread, 1, cores);
    std::vector<std::vector<Changed>> found(threads);
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < threads; ++i) {
        try {
          others.emplace_back([this, &mine = found[i]] { work(mine); });
        } catch (const std::system_error&) {
          break;  // a limit on threads: those that are there do it all
        }
      }
      work(found[0]);
    }
    auto& changed = found[0];
    for (std::size_t i = 1; i < threads; ++i) changed.insert(changed.end(), found[i].begin(), found[i].end());
    std::sort(changed.begin(), changed.end(), [](const auto& a, const auto& b) { return a.watch < b.watch; });
    return std::move(changed);
  }

 private:
  static UniqueFd open_folder(int below, const char* path) {
    return UniqueFd(::openat(below, path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  void work(std::vector<Changed>& found) {
    for (std::size_t from; (from = next_.fetch_add(kWatchesAtOnce)) < input_.watches.size();)
      for (auto i = from; i < std::min(from + kWatchesAtOnce, input_.watches.size()); ++i)
        look(static_cast<std::uint32_t>(i), found);
  }

  void look(std::uint32_t i, std::vector<Changed>& found) const {
    const auto& watch = input_.watches[i];
    const auto* path = input_.paths.data() + watch.path;
    int below = root_.get();
    // A folder that could not be opened is looked for with its whole path, which then says why not.
    if (watch.folder != kNone && folders_[watch.folder]) {
      below = folders_[watch.folder].get();
      path += watch.name;
    }
    struct statx info;
    constexpr unsigned kWanted = STATX_TYPE | STATX_MODE | STATX_INO | STATX_SIZE | STATX_MTIME | STATX_CTIME;
    const bool there = ::statx(below, path, AT_STATX_SYNC_AS_STAT, kWanted, &info) == 0;
    const auto now = there ? stamp_of(info) : FileStamp{};
    if (now.value != watch.stamp || watch.young) found.push_back({i, now});
  }

  const SweepInput& input_;
  UniqueFd root_;
  std::vector<UniqueFd> folders_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::vector<Changed> sweep(const SweepInput& input) { return Sweep(input).run(); }

}  // namespace weir::snapshot
