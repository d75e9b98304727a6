// What kind of address a URL is, and how it may be shown.
#pragma once

#include <string>

#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

struct Address {
  std::string url;         // for http and https
  std::string local_path;  // for file: and paths, with percent signs decoded; else empty
  std::string shown;       // without the password
};

Expected<Address> parse_address(const std::string& url);

}  // namespace weir::transfer
