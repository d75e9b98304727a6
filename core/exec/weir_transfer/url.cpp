#include "core/exec/weir_transfer/url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>

namespace weir::transfer {
namespace {

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part_of(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (::curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return text;
}

}  // namespace

Expected<Address> parse_address(const std::string& url) {
  if (url.starts_with('/')) return Address{{}, url, shown(url)};
  const Url parsed(::curl_url(), curl_url_cleanup);
  const auto code = ::curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0);
  // Not shown: what cannot be taken apart may hold a password anywhere.
  if (code != CURLUE_OK)
    return trouble(TransferExit::source,
                   fmt::format("the url cannot be read: {}", ::curl_url_strerror(code)));
  const auto scheme = part_of(parsed, CURLUPART_SCHEME);
  if (scheme == "file") return Address{{}, part_of(parsed, CURLUPART_PATH, CURLU_URLDECODE), shown(url)};
  ::curl_url_set(parsed.get(), CURLUPART_PASSWORD, nullptr, 0);
  const auto open = shown(part_of(parsed, CURLUPART_URL));
  if (scheme != "http" && scheme != "https")
    return trouble(TransferExit::source,
                   fmt::format("'{}' cannot be downloaded: only http, https and file can", open));
  return Address{url, {}, open};
}

}  // namespace weir::transfer
