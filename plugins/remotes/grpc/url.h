// grpc://host:port/instance/name, grpcs://host[:port]/instance/name.
#pragma once

#include <string>

namespace weir::reapi {

struct Url {
  std::string server;    // host:port
  std::string instance;  // may be empty
  bool secure = false;
};

// Throws sdk::Refused.
Url parse_url(const std::string& text);

}  // namespace weir::reapi
