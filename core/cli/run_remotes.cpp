#include "core/cli/run_remotes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/project/diagnostic_text.h"

namespace weir::cli {

namespace {

// Files of the project are named relative to it.
std::string absolute(const std::string& path, const std::string& root) {
  if (path.empty() || root.empty()) return path;
  // As trust was asked for it: "link/../x" is "x", wherever the link leads.
  return (std::filesystem::path(root) / path).lexically_normal().string();
}

// "dir:cache" is a folder of the project.
std::string absolute_url(const std::string& url, const std::string& root) {
  constexpr std::string_view kFolder = "dir:";
  if (!url.starts_with(kFolder)) return url;
  return std::string(kFolder) + absolute(url.substr(kFolder.size()), root);
}

const Credential* credential_of(const RemoteContext& context, const Remote& remote) {
  const auto server = server_of(remote.url);
  return server ? find_credential(context.settings.credentials, *server) : nullptr;
}

// Also of a URL on the command line that the project names too.
bool project_chooses_ca(const RemoteContext& context, const Remote& remote) {
  const auto& named = context.project.remotes;
  return !remote.ca.empty() && std::any_of(named.begin(), named.end(), [&](const Remote& one) {
    return one.url == remote.url && one.ca == remote.ca;
  });
}

bool is_set(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value != nullptr && *value != '\0';
}

// Why a remote does not get the secret of its host.
struct Withheld {
  std::string reason;  // empty: it gets it
  std::string remedy;
};

Withheld withheld_from(const RemoteContext& context, const Remote& remote, const Credential& credential) {
  const auto server = *server_of(remote.url);
  const auto entry = fmt::format("in [[credential]] ({})", credential.place);
  if (!is_encrypted(server) && !credential.allow_http)
    return {"the connection is not encrypted",
            fmt::format("use https:// or grpcs://, or set allow-http = true {}", entry)};
  if (is_encrypted(server) && credential.ca.empty() && project_chooses_ca(context, remote))
    return {"the project chooses the certificate authority",
            fmt::format("if you trust it, set ca = \"FILE\" {}", entry)};
  if (!credential.user.empty() && !server.scheme.starts_with("http"))
    return {"a user and a password are for http and https only", fmt::format("remove user {}", entry)};
  if (!credential.token_env.empty() && !is_set(credential.token_env))
    return {fmt::format("the variable {} is not set", credential.token_env),
            fmt::format("set it where you start weir, or name another one {}", entry)};
  return {};
}

Status add_secret(const RemoteContext& context, const Remote& remote, RemoteAddress& address) {
  const auto* credential = credential_of(context, remote);
  if (credential == nullptr) return {};
  if (!credential->ca.empty()) address.ca = credential->ca;
  if (!withheld_from(context, remote, *credential).reason.empty()) return {};
  auto secret = read_secret(*credential);
  if (!secret) return tl::unexpected(secret.error());
  address.user = credential->user;
  address.token = std::move(*secret);
  return {};
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

std::vector<Error> withheld_tokens(const RemoteContext& context) {
  std::vector<Error> all;
  for (const auto& remote : context.settings.remotes.value) {
    const auto* credential = credential_of(context, remote);
    if (credential == nullptr) continue;
    auto [reason, remedy] = withheld_from(context, remote, *credential);
    if (!reason.empty())
      all.push_back({Reason::usage, fmt::format("{}: token not sent: {}", shown_url(remote.url), reason),
                     std::move(remedy)});
  }
  return all;
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
    if (auto added = add_secret(context, remote, setup.address); !added) return tl::unexpected(added.error());
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
