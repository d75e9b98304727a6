#include "plugins/remotes/http/verdict.h"

namespace weir::http {
namespace {

using sdk::Ended;

bool may_heal(long status) {
  switch (status) {
    case 501: return false;
    case 408:
    case 413:  // this blob is too long for the server; others are not
    case 425:
    case 429: return true;
    default: return status < 400 || status >= 500;
  }
}

const char* hint_of(long status) {
  switch (status) {
    case 401:
    case 403: return "; check the token";
    case 405:
    case 501: return "; does it take uploads (PUT)?";
    case 407: return "; the proxy needs a login: http://USER:PASSWORD@PROXY in http_proxy or https_proxy";
    case 413: return "; a blob is longer than it takes";
    default: return "";
  }
}

bool is_about_trust(CURLcode code) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return true;
    default: return false;
  }
}

}  // namespace

Ended verdict_of_status(const std::string& server, long status, std::uint64_t retry_after_ms) {
  auto message = server + ": the server answered " + std::to_string(status) + hint_of(status);
  return may_heal(status) ? Ended::trouble(std::move(message), retry_after_ms)
                          : Ended::refused(std::move(message));
}

Ended verdict_of_error(const std::string& server, CURLcode code, const std::string& detail) {
  auto message = server + ": " + (detail.empty() ? ::curl_easy_strerror(code) : detail);
  if (is_about_trust(code))
    return Ended::refused(message + "; an authority of your own can be named with `ca`");
  if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT)
    return Ended::refused(std::move(message));
  return Ended::trouble(std::move(message));
}

}  // namespace weir::http
