// How the server is reached: its URL, whom to trust, and who we are. Credentials (a token, or the userinfo of
// the URL) are for the origin of the URL; requests to any other have none. Constant, so any thread may use
// it.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include <weir/remote.hpp>

#include "plugins/remotes/http/address.h"

namespace weir::http {

class Access {
 public:
  explicit Access(const sdk::RemoteSettings& settings);  // throws Refused

  // The layout of Bazel's HTTP cache.
  std::string url_of(const std::string& hash, bool record) const {
    return base_ + (record ? "/ac/" : "/cas/") + hash;
  }
  const Origin& origin() const { return address_.origin; }
  // All options that do not depend on what is asked. The access outlives the use of the handle.
  void prepare(CURL* easy, const Origin& asked) const;

 private:
  using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

  void introduce(CURL* easy) const;
  void trust(CURL* easy) const;

  Address address_;
  std::string base_;
  std::string ca_file_;
  std::string ca_folder_;
  bool has_token_;
  long connect_timeout_ms_;
  Headers plain_{nullptr, curl_slist_free_all};
  Headers with_token_{nullptr, curl_slist_free_all};
};

}  // namespace weir::http
