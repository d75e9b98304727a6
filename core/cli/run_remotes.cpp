#include "core/cli/run_remotes.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/base/log.h"
#include "core/project/diagnostic_text.h"

namespace weir::cli {

namespace {

// Files of the project are named relative to it.
std::string absolute(const std::string& path, const std::string& root) {
  return path.empty() || path.front() == '/' || root.empty() ? path : root + "/" + path;
}

// "dir:cache" is a folder of the project.
std::string absolute_url(const std::string& url, const std::string& root) {
  constexpr std::string_view kFolder = "dir:";
  if (!url.starts_with(kFolder)) return url;
  return std::string(kFolder) + absolute(url.substr(kFolder.size()), root);
}

std::string token_of(const Remote& remote) {
  if (remote.token_env.empty()) return {};
  const char* token = std::getenv(remote.token_env.c_str());
  return token ? token : "";
}

Status check_scheme(const RemoteContext& context, const Remote& remote) {
  const auto scheme = scheme_of(remote.url);
  const auto place = to_text(remote.place, context.files);
  const auto at = place.empty() ? std::string() : place + ": ";
  const auto known = context.kinds.names(PluginType::remote);
  const auto is_known = [&](std::string_view name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  if (is_known(scheme) || (scheme.ends_with('s') && is_known(scheme.substr(0, scheme.size() - 1)))) return {};
  // A library that is named one by one may be called anything.
  const auto& path = context.kinds.path();
  if (std::any_of(path.begin(), path.end(), [](const auto& one) { return one.is_file(); }) &&
      context.kinds.remote(scheme))
    return {};
  return fail(Reason::project, fmt::format("{}no kind of remote knows the URL {}", at, shown_url(remote.url)),
              fmt::format("known: {}", fmt::join(known, ", ")));
}

}  // namespace

std::string unset_token(const Remote& remote) {
  if (remote.token_env.empty() || !token_of(remote).empty()) return {};
  return fmt::format("{}: the variable {} that holds its token is not set", shown_url(remote.url),
                     remote.token_env);
}

Result<std::vector<RemoteSetup>> remote_setups(const RemoteContext& context, PushTo push_to) {
  const auto& remotes = context.settings.remotes;
  const bool named = remotes.origin.layer == Origin::Layer::command_line;
  std::vector<RemoteSetup> setups;
  for (const auto& remote : remotes.value) {
    if (auto known = check_scheme(context, remote); !known) return tl::unexpected(known.error());
    RemoteSetup setup;
    setup.address.url = absolute_url(remote.url, context.project.root);
    setup.address.ca = absolute(remote.ca, context.project.root);
    setup.address.connect_timeout = remote.connect_timeout;
    setup.address.token = token_of(remote);
    if (const auto unset = unset_token(remote); !unset.empty()) log_warn("{}", unset);
    setup.push = remote.push != Push::no;
    setup.required = remote.push == Push::required;
    if (push_to == PushTo::all_or_fail) setup.push = setup.required = setup.push || named;
    setups.push_back(std::move(setup));
  }
  return setups;
}

std::unique_ptr<RemoteLines> make_remote_lines(const RemoteContext& context, std::vector<RemoteSetup> setups,
                                               const Clock& clock,
                                               std::function<void(const RemoteLine::News&)> tell) {
  return std::make_unique<RemoteLines>(RemoteLinesParts{
      std::move(setups), clock, context.settings.cache_dir.value + "/remotes",
      context.project.retry.of(Failure::network),
      [&kinds = context.kinds](std::string_view scheme) { return kinds.remote(scheme); }, std::move(tell)});
}

std::string news_text(const RemoteLine::News& news) {
  switch (news.state) {
    case RemoteLine::State::up: return fmt::format("{}: {}; it is passed over", news.remote, news.reason);
    case RemoteLine::State::read_only:
      return fmt::format("{}: {}; nothing is pushed there", news.remote, news.reason);
    case RemoteLine::State::resting:
      return fmt::format("{}: {}; going on without it for a while", news.remote, news.reason);
    case RemoteLine::State::off: break;
  }
  return fmt::format("{}: {}; going on without it", news.remote, news.reason);
}

}  // namespace weir::cli
