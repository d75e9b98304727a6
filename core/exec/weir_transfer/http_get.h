// One HTTP request by libcurl, from where the part file ends. Bytes are taken as the server sends them:
// content encodings are not undone.
//
// Redirects: at most 10, to http and https only; a password goes to the host it was meant for. ~/.netrc is
// read for https alone: the project chooses the URL, and over plain http anybody could read the password.
// Proxies come from http_proxy, https_proxy, all_proxy and no_proxy, certificates from the system, or
// from SSL_CERT_FILE and SSL_CERT_DIR.
#pragma once

#include <chrono>
#include <string>

#include "core/exec/weir_transfer/part_file.h"

namespace weir::transfer {

// From the environment, in seconds: WEIR_CONNECT_TIMEOUT (until connected, with TLS) and WEIR_DOWNLOAD_STALL
// (without a single byte). What is no number from 1 to 86400 counts as not set.
struct NetworkLimits {
  std::chrono::seconds connect{10};
  std::chrono::seconds stall{20};
  static NetworkLimits from_environment();
};

enum class HttpEnd {
  complete,
  from_zero,  // the server cannot go on where the part ends: the file is another one by now, or shorter
  cut,        // the connection ended in the middle of the body
  failed,
};

struct HttpResult {
  HttpEnd end = HttpEnd::complete;
  Trouble trouble;  // of `cut` and `failed`
};

HttpResult http_get(const std::string& url, const std::string& url_shown, PartFile& part,
                    const NetworkLimits& limits);

}  // namespace weir::transfer
