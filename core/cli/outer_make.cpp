#include "core/cli/outer_make.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "core/exec/outer_jobserver.h"

namespace weir::cli {

namespace {

// Written once, before there is a second thread.
std::optional<Result<JobserverEnds>>& found() {
  static std::optional<Result<JobserverEnds>> ends;
  return ends;
}

// One core is weir's own: the one that make runs it with.
class LentCores final : public CoreLender {
 public:
  LentCores(boost::asio::io_context& loop, JobserverEnds ends, std::function<void()> more)
      : jobserver_(loop, std::move(ends), std::move(more)) {}
  std::int64_t cores() const override { return 1 + static_cast<std::int64_t>(jobserver_.held()); }
  void want(std::int64_t cores) override {
    jobserver_.want(cores > 1 ? static_cast<std::size_t>(cores - 1) : 0);
  }

 private:
  OuterJobserver jobserver_;
};

}  // namespace

void find_outer_make() {
  const char* flags = std::getenv("MAKEFLAGS");
  const auto address = flags ? parse_make_flags(flags) : std::nullopt;
  if (address) found() = open_jobserver(*address);
}

std::unique_ptr<CoreLender> cores_of_outer_make(boost::asio::io_context& loop, Emitter& events,
                                                std::function<void()> more) {
  if (!found()) return nullptr;
  if (const auto& ends = *found(); ends) {
    const auto copy = [](const UniqueFd& fd) { return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3)); };
    JobserverEnds own{copy(ends->reader), copy(ends->writer)};
    if (own.reader && own.writer) return std::make_unique<LentCores>(loop, std::move(own), std::move(more));
    return nullptr;
  }
  const auto& error = found()->error();
  const auto words =
      fmt::format("the jobserver of make cannot be used, so weir goes on with its own cores: {}{}{}",
                  error.message, error.remedy.empty() ? "" : "; ", error.remedy);
  events.emit([&] { return event::Diagnostic{"warning", words}; });
  return nullptr;
}

}  // namespace weir::cli
