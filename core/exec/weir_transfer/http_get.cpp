#include "core/exec/weir_transfer/http_get.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>

#include "core/exec/weir_transfer/http_answer.h"
#include "core/exec/weir_transfer/http_trouble.h"

namespace weir::transfer {
namespace {

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

std::chrono::seconds seconds_of(const char* name, std::chrono::seconds otherwise) {
  const char* text = ::getenv(name);
  int value = 0;
  const auto end = text ? text + std::string_view(text).size() : nullptr;
  const bool number = text && std::from_chars(text, end, value).ptr == end;
  return number && value >= 1 && value <= 86400 ? std::chrono::seconds(value) : otherwise;
}

// How long nothing has come. Not libcurl's own limit of speed: that takes an average and is 5 s late. A
// process that was suspended did not listen, so a gap between two looks counts for little.
class Silence {
 public:
  void end() {
    length_ = {};
    last_look_ = std::chrono::steady_clock::now();
  }
  std::chrono::steady_clock::duration grow() {
    const auto now = std::chrono::steady_clock::now();
    length_ += std::min<std::chrono::steady_clock::duration>(now - last_look_, std::chrono::seconds(2));
    last_look_ = now;
    return length_;
  }

 private:
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration length_{};
};

bool has_scheme(const std::string& url, std::string_view scheme) {
  return url.size() > scheme.size() && url[scheme.size()] == ':' &&
         ::strncasecmp(url.data(), scheme.data(), scheme.size()) == 0;
}

class Get {
 public:
  Get(const std::string& url, const std::string& url_shown, PartFile& part, const NetworkLimits& limits,
      bool with_netrc)
      : url_(url),
        shown_(url_shown),
        part_(part),
        limits_(limits),
        with_netrc_(with_netrc),
        offset_(part.can_resume() ? part.size() : 0) {}

  HttpResult run() {
    if (offset_ == 0)
      if (auto clean = part_.restart(); !clean) return {HttpEnd::failed, clean.error()};
    set_up();
    const auto code = ::curl_easy_perform(curl_.get());
    if (code == CURLE_OK && !begun_) begin_body();  // an empty file
    return judge(code);
  }
  // It ended at a redirect from https to http, which is followed without ~/.netrc alone.
  bool needs_plain_http() const { return with_netrc_ && !begun_ && has_scheme(location_, "http"); }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    ::curl_easy_setopt(curl_.get(), option, value);
  }
  template <class T>
  T info(CURLINFO what) const {
    T value{};
    ::curl_easy_getinfo(curl_.get(), what, &value);
    return value;
  }

  void set_up() {
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, with_netrc_ ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NETRC, static_cast<long>(with_netrc_ ? CURL_NETRC_OPTIONAL : CURL_NETRC_IGNORED));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, "weir/" WEIR_VERSION);
    set(CURLOPT_BUFFERSIZE, 256L * 1024);
    set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(limits_.connect.count()));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Get::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_ERRORBUFFER, detail_.data());
    if (const char* file = ::getenv("SSL_CERT_FILE")) set(CURLOPT_CAINFO, file);
    if (const char* folder = ::getenv("SSL_CERT_DIR")) set(CURLOPT_CAPATH, folder);
    set(CURLOPT_HEADERFUNCTION, &Get::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Get::on_body);
    set(CURLOPT_WRITEDATA, this);
    if (offset_ > 0) ask_for_the_rest();
  }

  // CURLOPT_RANGE and not CURLOPT_RESUME_FROM: that one takes an answer with the whole file for an error.
  void ask_for_the_rest() {
    set(CURLOPT_RANGE, fmt::format("{}-", offset_).c_str());
    headers_.reset(::curl_slist_append(nullptr, fmt::format("If-Range: {}", part_.validator()).c_str()));
    set(CURLOPT_HTTPHEADER, headers_.get());
  }

  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self) {
    auto& get = *static_cast<Get*>(self);
    get.silence_.end();
    get.answer_.read_line({data, size}, get.location_);
    return size;
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self) {
    auto& get = *static_cast<Get*>(self);
    get.silence_.end();
    if (!get.begun_ && !get.begin_body()) return 0;
    return get.keep(get.part_.append({data, size})) ? size : 0;
  }

  // libcurl calls this at least once a second.
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& get = *static_cast<Get*>(self);
    const bool connected =
        get.info<curl_off_t>(CURLINFO_PRETRANSFER_TIME_T) > 0;  // until then there is another limit
    if (!connected) get.silence_.end();
    if (!connected || get.silence_.grow() < get.limits_.stall) return 0;
    get.stop(HttpEnd::failed, get.after_bytes(silence_trouble(get.limits_.stall, get.shown_)));
    return 1;
  }

  bool keep(const Done& done) {
    if (!done) own_ = {HttpEnd::failed, done.error()};
    return done.has_value();
  }
  bool stop(HttpEnd end, Trouble trouble = {}) {
    own_ = {end, std::move(trouble)};
    return false;
  }

  // True if what comes now belongs to the end of the part file.
  bool begin_body() {
    begun_ = true;
    const auto status = info<long>(CURLINFO_RESPONSE_CODE);
    if (status == 206 && offset_ > 0) {
      const bool same = answer_.validator().empty() || answer_.validator() == part_.validator();
      const auto range = answer_.range();
      if (!range || range->begin != offset_ || !same) return stop(HttpEnd::from_zero);
      whole_ = range->whole;
      return has_room();
    }
    if (status != 200 && status != 203) return stop(HttpEnd::failed, status_trouble(status, shown_));
    return (offset_ == 0 || keep(part_.restart())) && keep(part_.set_validator(answer_.validator())) &&
           has_room();
  }

  bool has_room() {
    return keep(part_.check_room(static_cast<std::uint64_t>(
        std::max<curl_off_t>(0, info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)))));
  }

  Trouble after_bytes(Trouble trouble) const {
    if (begun_) trouble.message += fmt::format(" (after {} bytes)", part_.size());
    return trouble;
  }

  HttpResult judge(CURLcode code) const {
    if (own_) return *own_;
    if (code == CURLE_OK && part_.size() < whole_)
      return {HttpEnd::cut,
              after_bytes({TransferExit::network,
                           fmt::format("downloading {}: the server sent a part of it", shown_)})};
    if (code == CURLE_OK) return {};
    if (code == CURLE_HTTP_RETURNED_ERROR) {
      const auto status = info<long>(CURLINFO_RESPONSE_CODE);
      if (status == 416 && offset_ > 0) return {HttpEnd::from_zero, {}};
      return {HttpEnd::failed, status_trouble(status, shown_)};
    }
    auto trouble = after_bytes(curl_trouble({code, detail_.data(), location_, limits_.connect}, shown_));
    const bool cut = begun_ && trouble.exit == TransferExit::network;
    return {cut ? HttpEnd::cut : HttpEnd::failed, std::move(trouble)};
  }

  const std::string& url_;
  const std::string& shown_;
  PartFile& part_;
  const NetworkLimits& limits_;
  const bool with_netrc_;
  const std::uint64_t offset_;
  Easy curl_{curl_easy_init(), curl_easy_cleanup};
  HeaderList headers_{nullptr, curl_slist_free_all};
  std::array<char, CURL_ERROR_SIZE> detail_{};
  HttpAnswer answer_;
  Silence silence_;
  std::string location_;
  bool begun_ = false;
  std::uint64_t whole_ = 0;        // the size of the file, if the answer is a part of it
  std::optional<HttpResult> own_;  // why we ended it ourselves
};

}  // namespace

NetworkLimits NetworkLimits::from_environment() {
  const NetworkLimits usual;
  return {seconds_of("WEIR_CONNECT_TIMEOUT", usual.connect), seconds_of("WEIR_DOWNLOAD_STALL", usual.stall)};
}

HttpResult http_get(const std::string& url, const std::string& url_shown, PartFile& part,
                    const NetworkLimits& limits) {
  Get get(url, url_shown, part, limits, has_scheme(url, "https"));
  auto result = get.run();
  if (result.end == HttpEnd::complete || !get.needs_plain_http()) return result;
  return Get(url, url_shown, part, limits, false).run();
}

}  // namespace weir::transfer
