// What an end of a request that is not good means: which failures may heal by themselves, and what to tell.
// Pure.
#pragma once

#include <curl/curl.h>

#include <string>

#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

Trouble status_trouble(long status, const std::string& url_shown);

struct CurlEnd {
  CURLcode code = CURLE_OK;
  std::string detail;    // libcurl's own words; may be empty
  std::string location;  // the last redirect; may be empty
  bool connected = false;
  long connect_seconds = 0;
  long stall_seconds = 0;
};
Trouble curl_trouble(const CurlEnd& end, const std::string& url_shown);

}  // namespace weir::transfer
