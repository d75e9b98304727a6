// What an end of a request that is not good means: which failures may heal by themselves, and what to tell.
// Pure.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <string>

#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

Trouble status_trouble(long status, const std::string& url_shown);
Trouble silence_trouble(std::chrono::seconds stall, const std::string& url_shown);

struct CurlEnd {
  CURLcode code = CURLE_OK;
  std::string detail;    // libcurl's own words; may be empty
  std::string location;  // the last redirect; may be empty
  std::chrono::seconds connect_limit{};
};
Trouble curl_trouble(const CurlEnd& end, const std::string& url_shown);

}  // namespace weir::transfer
