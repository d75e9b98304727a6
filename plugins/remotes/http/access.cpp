#include "plugins/remotes/http/access.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace weir::http {
namespace {

using sdk::Refused;

constexpr auto kRemedy = "as in \"https://cache.example.org/weir\"";

Address checked(const std::string& url) {
  // The URL itself is not shown: what cannot be taken apart may hold a password anywhere.
  if (url.find_first_of("?#") != url.npos)
    throw Refused{"the url of a remote has no query (?) and no fragment (#)", kRemedy, "url"};
  auto address = read_address(url);
  if (!address) throw Refused{"the url cannot be read", kRemedy, "url"};
  return std::move(*address);
}

constexpr long kSlowest = 100;       // bytes in a second: a line of 56 kbit/s that 64 requests share
constexpr long kLongestSilence = 5;  // seconds

bool fits_a_header(const std::string& token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::string environment(const char* name) {
  const char* value = ::getenv(name);
  return value ? value : "";
}

// libcurl keeps the certificates that it has read only if they come from nothing but a file: without that
// each connection reads all of the system's again: 30 ms of the processor instead of 2. So Debian's folder is
// left out where its file, which has the same, is there.
std::string system_file() {
  const auto* about = ::curl_version_info(CURLVERSION_NOW);
  return about->cainfo && ::access(about->cainfo, R_OK) == 0 ? about->cainfo : "";
}

curl_slist* with(curl_slist* list, const std::string& line) {
  return ::curl_slist_append(list, line.c_str());
}

// A line that went dead without a word is given up by the kernel; else every request that shares it (HTTP/2)
// is stuck, and the next ones too.
int limit_silence(void*, curl_socket_t socket, curlsocktype) {
  constexpr unsigned kLongestUnheardMs = 20'000;
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kLongestUnheardMs, sizeof kLongestUnheardMs);
  // The kernel takes megabytes of an upload at once and then sends for seconds, in which nothing is seen to
  // go on.
  constexpr int kMostUnsent = 128 * 1024;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kMostUnsent, sizeof kMostUnsent);
  return CURL_SOCKOPT_OK;
}

}  // namespace

Access::Access(const sdk::RemoteSettings& settings)
    : address_(checked(settings.url)),
      base_(address_.url.substr(0, address_.url.find_last_not_of('/') + 1)),
      ca_file_(settings.ca),
      has_token_(!settings.token.empty()),
      connect_timeout_ms_(static_cast<long>(
          std::min<std::uint64_t>(settings.connect_timeout_ms, std::numeric_limits<int>::max()))) {
  if (has_token_ && !address_.user.empty())
    throw Refused{"there is a token, and a name in the url as well",
                  "take one of them out: only one can be sent", "url"};
  if (!fits_a_header(settings.token))
    throw Refused{"the token has spaces or other characters that no token has", "look for a line end in it",
                  "token"};
  if (!ca_file_.empty() && ::access(ca_file_.c_str(), R_OK) != 0)
    throw Refused{"the file " + sdk::in_quotes(ca_file_) + " cannot be read",
                  "it is a PEM file with the certificates to trust", "ca"};
  if (ca_file_.empty()) {
    ca_file_ = environment("SSL_CERT_FILE");
    ca_folder_ = environment("SSL_CERT_DIR");
    if (ca_file_.empty() && ca_folder_.empty()) ca_file_ = system_file();
  }
  // "Expect: 100-continue" would cost every upload a round trip.
  plain_.reset(with(nullptr, "Expect:"));
  if (has_token_)
    with_token_.reset(with(with(nullptr, "Expect:"), "Authorization: Bearer " + settings.token));
}

void Access::prepare(CURL* easy, const Origin& asked) const {
  const auto set = [easy](CURLoption option, auto value) { ::curl_easy_setopt(easy, option, value); };
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));  // the user has credentials for that
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_NOPROGRESS, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // whoever is cancelled while a name is looked up does not wait for that
  set(CURLOPT_USERAGENT, "weir/" WEIR_VERSION);
  set(CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms_);
  // A request that was lost is made again. Weir waits for it as long as others give signs of life; alone it
  // waits for less.
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowest);
  set(CURLOPT_LOW_SPEED_TIME, kLongestSilence);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // With TLS the first connection says whether one is enough; 64 handshakes would be for nothing.
  set(CURLOPT_PIPEWAIT, asked.scheme == "https" ? 1L : 0L);
  set(CURLOPT_SOCKOPTFUNCTION, limit_silence);
  set(CURLOPT_HTTPHEADER, plain_.get());
  trust(easy);
  if (asked == address_.origin) introduce(easy);
}

void Access::trust(CURL* easy) const {
  ::curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  ::curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  ::curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (ca_file_.empty() && ca_folder_.empty()) return;
  ::curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file_.empty() ? nullptr : ca_file_.c_str());
  ::curl_easy_setopt(easy, CURLOPT_CAPATH, ca_folder_.empty() ? nullptr : ca_folder_.c_str());
}

void Access::introduce(CURL* easy) const {
  if (has_token_) {
    ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, with_token_.get());
  } else if (!address_.user.empty()) {
    ::curl_easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    ::curl_easy_setopt(easy, CURLOPT_USERNAME, address_.user.c_str());
    ::curl_easy_setopt(easy, CURLOPT_PASSWORD, address_.password.c_str());
  }
}

}  // namespace weir::http
