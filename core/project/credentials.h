// Secrets for servers, from [[credential]] of the user's own settings and from nowhere else: a project names
// the servers it wants, and the user decides which of them get a secret, and over which connections.
//
//   [[credential]]
//   host = "cache.example"      # with :PORT for any port but the default one of the URL's scheme
//   token-env = "CACHE_TOKEN"   # or token-file = "FILE": exactly one
//
// A secret is read when it is needed and kept by nobody but the remote that sends it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/project/table_reader.h"

namespace weir {

struct Credential {
  std::string host;         // lower case; an IPv6 address in brackets
  std::uint16_t port = 0;   // 0: the default port of the URL's scheme
  std::string token_env;    // the variable that holds the secret; empty: it is in token_file
  std::string token_file;   // absolute
  std::string user;         // the secret is the password of this user; empty: a bearer token
  std::string ca;           // absolute; whom to trust for this host; empty: what the remote says
  bool allow_http = false;  // connections without encryption are good enough
  std::string place;        // "/home/ann/.config/weir/config.toml:3:1"
};

// What paths in the settings file are relative to, and "~/".
struct SettingsFolders {
  std::string settings;
  std::string home;
};
std::string absolute_path(const SettingsFolders& folders, const std::string& path);

// All [[credential]] of the user's file; bad ones are diagnostics and left out.
void read_credentials(TableReader& reader, const SettingsFolders& folders, const SourceFiles& files,
                      std::vector<Credential>& credentials);

// The server that a URL names, if no two readers could disagree on it: the one who connects is another one
// than the one who decides on the secret. Nothing for a URL that is spelled oddly, or that brings a user and
// a password of its own.
struct Server {
  std::string scheme;
  std::string host;              // lower case
  std::uint16_t port = 0;        // that of the URL or of the scheme; 0: neither has one
  bool is_default_port = false;  // of the scheme
};
std::optional<Server> server_of(std::string_view url);
bool is_encrypted(const Server& server);

// The credential for the server; one that names the port is preferred. nullptr: none.
const Credential* find_credential(const std::vector<Credential>& credentials, const Server& server);
// "cache.example:8443", as it is written in the settings.
std::string shown_host(const Credential& credential);

// Empty if the variable is not set. What cannot be used is an error with its remedy; the secret itself is in
// no message.
Result<std::string> read_secret(const Credential& credential);

}  // namespace weir
