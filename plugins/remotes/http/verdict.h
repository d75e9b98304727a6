// What an end of a request that is not good means for the operation. Pure.
#pragma once

#include <curl/curl.h>

#include <string>

#include <weir/remote.hpp>

namespace weir::http {

// Of an answer that is neither what was asked for nor a redirect. `server`: host:port.
sdk::Ended verdict_of_status(const std::string& server, long status, std::uint64_t retry_after_ms);
// Of a request without an answer, or with one that did not come to its end. `detail`: libcurl's own words;
// may be empty.
sdk::Ended verdict_of_error(const std::string& server, CURLcode code, const std::string& detail);

}  // namespace weir::http
