#include "core/cli/remote_checks.h"

#include <fmt/format.h>

#include <algorithm>

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

Finding finding_of(const Credential& credential) {
  const bool by_file = credential.token_env.empty();
  const auto secret = read_secret(credential);
  if (!secret)
    return {Finding::Level::wrong, "credential",
            fmt::format("{}: {}", shown_host(credential), secret.error().message), secret.error().remedy};
  if (secret->empty())
    return {Finding::Level::warning, "credential",
            fmt::format("{}: the variable {} is not set ({})", shown_host(credential), credential.token_env,
                        credential.place),
            "set it where you start weir"};
  return {Finding::Level::ok,
          "credential",
          fmt::format("{}: {} {}{} ({})", shown_host(credential), by_file ? "file" : "variable",
                      by_file ? credential.token_file : credential.token_env,
                      credential.allow_http ? ", also without encryption" : "", credential.place),
          {}};
}

// A credential without a port looks as if it were for all of them.
void add_other_ports(const Settings& settings, std::vector<Finding>& findings) {
  for (const auto& remote : settings.remotes.value) {
    const auto server = server_of(remote.url);
    if (!server || find_credential(settings.credentials, *server)) continue;
    const auto other = std::find_if(settings.credentials.begin(), settings.credentials.end(),
                                    [&](const Credential& one) { return one.host == server->host; });
    if (other == settings.credentials.end()) continue;
    findings.push_back({Finding::Level::warning, "remote",
                        fmt::format("{}: token not sent: the credential for {} is for another port",
                                    shown_url(remote.url), shown_host(*other)),
                        fmt::format("if this server needs it, add a [[credential]] with host = \"{}:{}\"",
                                    server->host, server->port)});
  }
}

}  // namespace

std::vector<Finding> check_credentials(const Settings& settings) {
  std::vector<Finding> findings;
  for (const auto& credential : settings.credentials) findings.push_back(finding_of(credential));
  return findings;
}

std::vector<Finding> check_remotes(const RemoteContext& context) {
  auto setups = remote_setups(context, PushTo::those_that_ask);
  if (!setups) return {{Finding::Level::wrong, "remote", setups.error().message, setups.error().remedy}};
  std::vector<Finding> findings;
  for (auto& withheld : withheld_tokens(context))
    findings.push_back(
        {Finding::Level::warning, "remote", std::move(withheld.message), std::move(withheld.remedy)});
  add_other_ports(context.settings, findings);
  const SteadyClock clock;
  const auto lines = make_remote_lines(context, std::move(*setups), clock, {});
  const auto answers = find_records(lines->pull_from(), {remote_key(kNothing)}, clock);
  for (std::size_t i = 0; i < answers.size(); ++i)
    findings.push_back(finding_of(answers[i], lines->setups()[i]));
  return findings;
}

}  // namespace weir::cli
