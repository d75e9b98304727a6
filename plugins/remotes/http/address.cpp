#include "plugins/remotes/http/address.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace weir::http {
namespace {

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part_of(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (::curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return text;
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

}  // namespace

std::optional<Address> read_address(const std::string& url) {
  const Url parsed(::curl_url(), curl_url_cleanup);
  if (::curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return std::nullopt;
  Address address;
  address.origin = {in_lower_case(part_of(parsed, CURLUPART_SCHEME)),
                    in_lower_case(part_of(parsed, CURLUPART_HOST)),
                    part_of(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  if (address.origin.scheme != "http" && address.origin.scheme != "https") return std::nullopt;
  address.user = part_of(parsed, CURLUPART_USER, CURLU_URLDECODE);
  address.password = part_of(parsed, CURLUPART_PASSWORD, CURLU_URLDECODE);
  ::curl_url_set(parsed.get(), CURLUPART_USER, nullptr, 0);
  ::curl_url_set(parsed.get(), CURLUPART_PASSWORD, nullptr, 0);
  address.url = part_of(parsed, CURLUPART_URL);
  return address;
}

}  // namespace weir::http
