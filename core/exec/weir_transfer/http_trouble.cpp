#include "core/exec/weir_transfer/http_trouble.h"

#include <fmt/format.h>

namespace weir::transfer {
namespace {

bool may_heal(long status) { return status == 408 || status == 429 || status >= 500; }

std::string_view remedy_of(long status) {
  switch (status) {
    case 401:
    case 403: return "; if it needs a login, use https and put it into ~/.netrc";
    case 404:
    case 410: return "; is the url right, and is that version still there?";
    case 407: return "; the proxy needs a login: http://USER:PASSWORD@PROXY in http_proxy or https_proxy";
    default: return "";
  }
}

bool is_certificate(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR ||
         code == CURLE_SSL_INVALIDCERTSTATUS || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;
}

}  // namespace

Trouble status_trouble(long status, const std::string& url_shown) {
  return {may_heal(status) ? TransferExit::network : TransferExit::source,
          fmt::format("downloading {}: the server answered {}{}", url_shown, status, remedy_of(status))};
}

Trouble silence_trouble(std::chrono::seconds stall, const std::string& url_shown) {
  return {TransferExit::network,
          fmt::format("downloading {}: nothing came for {} s", url_shown, stall.count())};
}

Trouble curl_trouble(const CurlEnd& end, const std::string& url_shown) {
  const auto told = [&](TransferExit exit, std::string_view why) {
    return Trouble{exit, fmt::format("downloading {}: {}", url_shown, why)};
  };
  const std::string detail = end.detail.empty() ? ::curl_easy_strerror(end.code) : shown(end.detail);
  if (is_certificate(end.code))
    return told(TransferExit::source,
                fmt::format("the certificate of the server is not trusted: {}; a certificate of your "
                            "own authority can be named in SSL_CERT_FILE",
                            detail));
  switch (end.code) {
    case CURLE_TOO_MANY_REDIRECTS:
      return told(TransferExit::source,
                  fmt::format("more than 10 redirects, the last one to '{}': a loop?", shown(end.location)));
    case CURLE_UNSUPPORTED_PROTOCOL:
      if (end.location.empty()) return told(TransferExit::network, detail);  // an answer that is no HTTP
      return told(
          TransferExit::source,
          fmt::format("a redirect to '{}' is not followed: only http and https are", shown(end.location)));
    case CURLE_URL_MALFORMAT: return told(TransferExit::source, fmt::format("this is no url: {}", detail));
    case CURLE_OPERATION_TIMEDOUT:
      return told(TransferExit::network, fmt::format("no connection within {} s", end.connect_limit.count()));
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_SSL_CACERT_BADFILE: return told(TransferExit::infra, detail);
    default: return told(TransferExit::network, detail);
  }
}

}  // namespace weir::transfer
