#include "core/cli/ctl_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::cli {

namespace {

Result<LiveRun> connect(const PastRun& run) {
  auto client = ControlClient::connect(run.path);
  if (!client) return tl::unexpected(client.error());
  return LiveRun{run.number, std::move(*client)};
}

Result<LiveRun> numbered(std::span<const PastRun> runs, std::uint64_t number) {
  const auto run =
      std::find_if(runs.begin(), runs.end(), [&](const PastRun& one) { return one.number == number; });
  if (run == runs.end())
    return fail(Reason::not_found, fmt::format("there is no run {}", number),
                fmt::format("the newest is {}", runs.front().number));
  auto live = connect(*run);
  if (live || live.error().reason != Reason::not_found) return live;
  return fail(Reason::not_found,
              fmt::format("run {} does not listen: it is over, or could not make its socket", number),
              "`weir runs` says how it ended");
}

}  // namespace

Result<LiveRun> find_live_run(std::span<const PastRun> runs, std::uint64_t number) {
  if (runs.empty()) return fail(Reason::not_found, "this project has no runs yet", "`weir build` makes one");
  if (number > 0) return numbered(runs, number);
  for (const auto& run : runs) {
    auto live = connect(run);
    if (live || live.error().reason != Reason::not_found) return live;
  }
  return fail(Reason::not_found, "no run of this project is under way",
              "`weir build` makes one; `weir runs` shows those that are over");
}

}  // namespace weir::cli
