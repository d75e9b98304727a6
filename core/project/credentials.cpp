#include "core/project/credentials.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "core/base/fd.h"
#include "core/base/shell_word.h"
#include "core/model/remote.h"
#include "core/project/diagnostic_text.h"

namespace weir {

namespace {

// More than any server takes as a header; a file that is longer was named by mistake.
constexpr std::size_t kLongestSecret = 16 * 1024;

struct HostPort {
  std::string host;
  std::optional<std::uint16_t> port;
};

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_in(char c, std::string_view others) {
  return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || others.find(c) != others.npos;
}

bool is_host(std::string_view text) {
  if (text.size() > 4 && text.front() == '[' && text.back() == ']')
    return std::all_of(text.begin() + 1, text.end() - 1, [](char c) { return is_in(c, ":."); });
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_in(c, "-._"); });
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (auto& c : lower)
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// "host", "host:port", "[::1]:port"; nothing for what is spelled in any other way.
std::optional<HostPort> parse_host(std::string_view text) {
  const auto bracket = text.rfind(']');
  const auto colon = text.find(':', bracket == text.npos ? 0 : bracket);
  HostPort parsed{in_lower_case(text.substr(0, colon)), std::nullopt};
  if (!is_host(parsed.host)) return std::nullopt;
  if (colon == text.npos) return parsed;
  parsed.port = parse_port(text.substr(colon + 1));
  return parsed.port ? std::optional(parsed) : std::nullopt;
}

std::uint16_t default_port(std::string_view scheme) {
  if (scheme == "https" || scheme == "grpcs") return 443;
  return scheme == "http" ? 80 : 0;
}

class CredentialReader {
 public:
  CredentialReader(TomlValue& table, const SettingsFolders& folders, const SourceFiles& files,
                   Diagnostics& diagnostics)
      : reader_(table, "[[credential]]", diagnostics), folders_(folders), diagnostics_(diagnostics) {
    credential_.place = to_text(table.place, files);
  }

  std::optional<Credential> read(const std::vector<Credential>& others) {
    const auto errors = diagnostics_.errors();
    read_host(others);
    read_user();
    reader_.boolean("allow-http", credential_.allow_http);
    read_secret_place();
    std::string ca;
    reader_.text("ca", ca);
    if (!ca.empty()) credential_.ca = absolute_path(folders_, ca);
    reader_.finish();
    return diagnostics_.errors() == errors ? std::optional(std::move(credential_)) : std::nullopt;
  }

 private:
  void read_host(const std::vector<Credential>& others) {
    PlacedText host;
    reader_.required_text("host", host);
    if (host.text.empty()) return;
    const auto parsed = parse_host(host.text);
    if (!parsed)
      return diagnostics_.error(host.place, fmt::format("{} is not a host", in_quotes(host.text)),
                                "name the host, with its port if it is not the default one: "
                                "\"cache.example\", \"cache.example:8443\"");
    credential_.host = parsed->host;
    credential_.port = parsed->port.value_or(0);
    for (const auto& other : others)
      if (other.host == credential_.host && other.port == credential_.port)
        diagnostics_.error(host.place, fmt::format("duplicate [[credential]] for {}", in_quotes(host.text)),
                           fmt::format("remove one of them; the other is at {}", other.place));
  }

  // A colon would end the user and begin the password.
  void read_user() {
    PlacedText user;
    reader_.text("user", user);
    if (std::any_of(user.text.begin(), user.text.end(), [](char c) { return c == ':' || is_control(c); }))
      return diagnostics_.error(user.place, "user holds a colon or a control character",
                                "write the name alone; the password comes from token-env or token-file");
    credential_.user = std::move(user.text);
  }

  void read_secret_place() {
    PlacedText variable, file;
    reader_.text("token-env", variable);
    reader_.text("token-file", file);
    if (variable.text.empty() == file.text.empty())
      return diagnostics_.error(
          reader_.place(), "[[credential]] must have either token-env or token-file",
          "name the variable (token-env = \"NAME\") or the file (token-file = \"FILE\") with the secret");
    if (variable.text.find('=') != variable.text.npos)
      return diagnostics_.error(variable.place, "token-env is not the name of a variable",
                                "name the variable; the secret itself does not belong here");
    credential_.token_env = std::move(variable.text);
    if (!file.text.empty()) credential_.token_file = absolute_path(folders_, file.text);
  }

  TableReader reader_;
  const SettingsFolders& folders_;
  Diagnostics& diagnostics_;
  Credential credential_;
};

tl::unexpected<Error> refuse_file(const std::string& path, std::string_view why, std::string remedy) {
  return fail(Reason::usage, fmt::format("token file {} {}", path, why), std::move(remedy));
}

Status check_file(const std::string& path, const struct stat& about) {
  if (!S_ISREG(about.st_mode))
    return refuse_file(path, "is not a regular file", "name a file that holds nothing but the token");
  if (about.st_uid != ::geteuid() && about.st_uid != 0)
    return refuse_file(path, "belongs to another user",
                       fmt::format("run `chown {} {}`", ::geteuid(), shell_word(path)));
  if ((about.st_mode & 077) != 0)
    return refuse_file(path, "is accessible to other users",
                       fmt::format("run `chmod 600 {}`", shell_word(path)));
  return {};
}

// One byte more than is allowed, so that it shows.
Result<std::string> read_bounded(int file) {
  std::string text(kLongestSecret + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::read(file, text.data() + size, text.size() - size);
    if (got < 0) return fail_errno("reading");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

Result<std::string> read_secret_file(const std::string& path) {
  // A fifo is not waited for.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ELOOP)
    return refuse_file(path, "is a symbolic link", "name the file that it points to");
  if (!file)
    return refuse_file(path, "cannot be opened: " + std::generic_category().message(errno),
                       "create it, or fix token-file");
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return fail_errno("reading token file " + path);
  if (auto good = check_file(path, about); !good) return tl::unexpected(good.error());
  auto text = read_bounded(file.get());
  if (!text) return refuse_file(path, "cannot be read: " + text.error().message, {});
  if (text->size() > kLongestSecret)
    return refuse_file(path, "is too long", "name a file that holds nothing but the token");
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  if (text->empty()) return refuse_file(path, "is empty", "write the token to it");
  return text;
}

bool fits_a_bearer(char c) { return 0x20 < c && c < 0x7f; }

// A line end would begin another header; a gRPC client gives up on other bytes.
bool can_be_sent(const std::string& secret, bool is_password) {
  return is_password ? std::none_of(secret.begin(), secret.end(), is_control)
                     : std::all_of(secret.begin(), secret.end(), fits_a_bearer);
}

}  // namespace

std::string absolute_path(const SettingsFolders& folders, const std::string& path) {
  if (path.starts_with("~/")) return folders.home + path.substr(1);
  return path.starts_with('/') ? path : folders.settings + "/" + path;
}

void read_credentials(TableReader& reader, const SettingsFolders& folders, const SourceFiles& files,
                      std::vector<Credential>& credentials) {
  auto* items = reader.take_array("credential");
  if (items == nullptr) return;
  for (auto& item : *items)
    if (auto credential = CredentialReader(item, folders, files, reader.diagnostics()).read(credentials))
      credentials.push_back(std::move(*credential));
}

std::optional<Server> server_of(std::string_view url) {
  const auto is_plain = [](char c) { return 0x20 < c && c < 0x7f && c != '\\'; };
  const auto scheme = scheme_of(url);
  auto rest = url.substr(scheme.size());
  if (scheme.empty() || !rest.starts_with("://") || !std::all_of(url.begin(), url.end(), is_plain))
    return std::nullopt;
  rest.remove_prefix(3);
  const auto parsed = parse_host(rest.substr(0, rest.find_first_of("/?#")));
  if (!parsed) return std::nullopt;
  const auto usual = default_port(scheme);
  const auto port = parsed->port.value_or(usual);
  return Server{std::string(scheme), parsed->host, port, port == usual};
}

bool is_encrypted(const Server& server) { return server.scheme == "https" || server.scheme == "grpcs"; }

const Credential* find_credential(const std::vector<Credential>& credentials, const Server& server) {
  const Credential* found = nullptr;
  for (const auto& credential : credentials) {
    if (credential.host != server.host) continue;
    if (credential.port != 0 && credential.port == server.port) return &credential;
    if (credential.port == 0 && server.is_default_port) found = &credential;
  }
  return found;
}

std::string shown_host(const Credential& credential) {
  return credential.port == 0 ? credential.host : fmt::format("{}:{}", credential.host, credential.port);
}

Result<std::string> read_secret(const Credential& credential) {
  const char* value = credential.token_env.empty() ? nullptr : ::getenv(credential.token_env.c_str());
  auto secret = credential.token_env.empty() ? read_secret_file(credential.token_file)
                                             : Result<std::string>(value ? value : "");
  if (!secret)
    return fail(secret.error().reason, fmt::format("{}: {}", credential.place, secret.error().message),
                secret.error().remedy);
  if (secret->size() <= kLongestSecret && can_be_sent(*secret, !credential.user.empty())) return secret;
  const auto where = credential.token_env.empty() ? "token file " + credential.token_file
                                                  : "variable " + credential.token_env;
  return fail(Reason::usage,
              fmt::format("{}: {} holds characters that a token cannot have", credential.place, where),
              "remove line ends and other control characters from it");
}

}  // namespace weir
