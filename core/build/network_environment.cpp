#include "core/build/network_environment.h"

#include <algorithm>
#include <cstdlib>

namespace weir {

Environment network_environment() {
  constexpr const char* kOfTheUser[] = {
      "ALL_PROXY",
      "CURL_CA_BUNDLE",
      "GIT_ASKPASS",
      "GIT_CONFIG_GLOBAL",
      "GIT_SSH",
      "GIT_SSH_COMMAND",
      "GIT_SSL_CAINFO",
      "HOME",
      "HTTPS_PROXY",
      "LOGNAME",
      "NO_PROXY",
      "PATH",
      "SSH_AUTH_SOCK",
      "SSL_CERT_DIR",
      "SSL_CERT_FILE",
      "TMPDIR",
      "USER",
      "WEIR_CONNECT_TIMEOUT",
      "WEIR_DOWNLOAD_STALL",
      "XDG_CONFIG_HOME",
      "all_proxy",
      "http_proxy",
      "https_proxy",
      "no_proxy",
  };
  Environment all = {{"LC_ALL", "C.UTF-8"}};
  for (const auto* name : kOfTheUser)
    if (const char* value = std::getenv(name)) all.emplace_back(name, value);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace weir
