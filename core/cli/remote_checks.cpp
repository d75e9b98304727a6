#include "core/cli/remote_checks.h"

#include <fmt/format.h>

#include "core/remote/transfer.h"
#include "core/remote/whereabouts.h"

namespace weir::cli {

namespace {

// No artifact has this key, so nobody has a record of it; to say so, a remote has to answer.
constexpr std::string_view kNothing = "weir doctor";

Finding finding_of(const Whereabouts& answer, const RemoteSetup& setup) {
  const auto purpose = setup.required ? "pull, push required" : setup.push ? "pull, push" : "pull";
  if (!answer.there.empty()) {
    const auto ms = std::chrono::duration<double, std::milli>(answer.took).count();
    return {Finding::Level::ok,
            "remote",
            fmt::format("{} answers in {:.0f} ms ({})", answer.remote, ms, purpose),
            {}};
  }
  const auto level = setup.required ? Finding::Level::wrong : Finding::Level::warning;
  return {level, "remote", fmt::format("{}: {}", answer.remote, answer.reason),
          setup.required ? "builds fail until it can be used" : "builds go on without it"};
}

}  // namespace

std::vector<Finding> check_remotes(const RemoteContext& context) {
  auto setups = remote_setups(context, PushTo::those_that_ask);
  if (!setups) return {{Finding::Level::wrong, "remote", setups.error().message, setups.error().remedy}};
  std::vector<Finding> findings;
  for (const auto& remote : context.settings.remotes.value)
    if (auto unset = unset_token(remote); !unset.empty())
      findings.push_back(
          {Finding::Level::warning, "remote", std::move(unset), "set it where weir is started"});
  const SteadyClock clock;
  const auto lines = make_remote_lines(context, std::move(*setups), clock, {});
  const auto answers = find_records(lines->pull_from(), {remote_key(kNothing)}, clock);
  for (std::size_t i = 0; i < answers.size(); ++i)
    findings.push_back(finding_of(answers[i], lines->setups()[i]));
  return findings;
}

}  // namespace weir::cli
