// Where requests go. Names and passwords are taken out of a URL when it is read: what is left may be shown.
#pragma once

#include <optional>
#include <string>

namespace weir::http {

// Whom credentials are for.
struct Origin {
  std::string scheme;
  std::string host;
  std::string port;

  bool operator==(const Origin&) const = default;
  std::string shown() const { return host + ":" + port; }
};

struct Address {
  std::string url;  // without userinfo; may have a query that is nobody's business
  Origin origin;
  std::string user;  // decoded
  std::string password;
};

// Nothing if it is no URL of http or https.
std::optional<Address> read_address(const std::string& url);

}  // namespace weir::http
