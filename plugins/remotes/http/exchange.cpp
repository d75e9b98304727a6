#include "plugins/remotes/http/exchange.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "plugins/remotes/http/verdict.h"

namespace weir::http {
namespace {

using sdk::Action;
using sdk::Ended;

constexpr int kMostRedirects = 5;
// On a slow line the time counts: weir takes a quarter of a second without a word for silence, and many
// requests share the line.
constexpr std::uint64_t kProgressStep = 256 * 1024;
constexpr auto kProgressPause = std::chrono::milliseconds(100);
// An error page is read to its end, so that the connection can be used again, unless it is longer than this.
constexpr std::uint64_t kLongestErrorPage = 64 << 10;
// Stays in the cache of the processor: an upload takes half the time of it that it takes with 256 KiB.
constexpr long kBuffer = 64 << 10;

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}
bool has_body(long status) { return status == 200 || status == 203; }

}  // namespace

Exchange::Exchange(const Access& access, const sdk::RemoteSink& sink) : access_(access), sink_(sink) {
  if (!easy_) throw std::runtime_error("libcurl has no memory for a handle");
}

Exchange& Exchange::of(CURL* easy) {
  char* self = nullptr;
  ::curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<Exchange*>(self);
}

bool Exchange::asks() const {
  return operation_->action == Action::has || operation_->action == Action::has_record;
}

void Exchange::ask(const sdk::Operation& operation, std::size_t index) {
  operation_ = &operation;
  index_ = index;
  redirects_ = 0;
  prepare(access_.url_of(name().hash, operation.is_record()), access_.origin());
}

// From nothing, so that no credential of the request before is left.
void Exchange::prepare(const std::string& url, const Origin& origin) {
  origin_ = origin;
  bytes_ = told_ = ignored_ = 0;
  told_at_ = std::chrono::steady_clock::now();
  failure_.clear();
  detail_[0] = '\0';
  ::curl_easy_reset(easy_.get());
  access_.prepare(easy_.get(), origin);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, detail_.data());
  set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
  set(CURLOPT_WRITEDATA, this);
  prepare_action();
}

void Exchange::prepare_action() {
  if (asks()) return set(CURLOPT_NOBODY, 1L);
  if (operation_->is_put()) return prepare_put();
  set(CURLOPT_HTTPGET, 1L);
  set(CURLOPT_BUFFERSIZE, kBuffer);
}

void Exchange::prepare_put() {
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_UPLOAD_BUFFERSIZE, kBuffer);
  set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(operation_->bytes()));
  set(CURLOPT_READFUNCTION, &Exchange::on_upload);
  set(CURLOPT_READDATA, this);
  // A kept connection may turn out to be closed by the server: then libcurl starts again on another.
  set(CURLOPT_SEEKFUNCTION, &Exchange::on_rewind);
  set(CURLOPT_SEEKDATA, this);
}

// What the server has under this name is not as long as the blob is: it is not that blob, however often it is
// asked for.
bool Exchange::is_another() const {
  if (operation_->is_record() || !has_body(info<long>(CURLINFO_RESPONSE_CODE))) return false;
  const auto length = info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
  return length >= 0 && static_cast<std::uint64_t>(length) != name().size;
}

std::size_t Exchange::on_body(char* data, std::size_t, std::size_t size, void* self) {
  return static_cast<Exchange*>(self)->keep(data, size);
}

std::size_t Exchange::keep(const char* data, std::size_t size) {
  const bool wanted = !asks() && !operation_->is_put() && has_body(info<long>(CURLINFO_RESPONSE_CODE));
  if (!wanted) {
    ignored_ += size;
    return ignored_ > kLongestErrorPage ? 0 : size;
  }
  if (is_another()) return 0;
  if (size > operation_->bytes() - bytes_)
    return fail(origin_.shown() + ": the server sent more than the " + std::to_string(operation_->bytes()) +
                " bytes that were expected");
  return write(data, size) ? size : 0;
}

bool Exchange::write(const char* data, std::size_t size) {
  while (size > 0) {
    const auto written = ::pwrite(operation_->fd, data, size, static_cast<off_t>(bytes_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(std::string("writing: ") + ::strerror(errno)) != 0;
    data += written;
    size -= static_cast<std::size_t>(written);
    bytes_ += static_cast<std::uint64_t>(written);
  }
  tell_progress();
  return true;
}

std::size_t Exchange::on_upload(char* data, std::size_t, std::size_t room, void* self) {
  auto& own = *static_cast<Exchange*>(self);
  const auto wanted = std::min<std::uint64_t>(room, own.operation_->bytes() - own.bytes_);
  ssize_t got = 0;
  do got = ::pread(own.operation_->fd, data, wanted, static_cast<off_t>(own.bytes_));
  while (got < 0 && errno == EINTR);
  if (got < 0) own.fail(std::string("reading: ") + ::strerror(errno));
  if (got == 0 && wanted > 0) own.fail("reading: the file is shorter than it should be");
  if (!own.failure_.empty()) return CURL_READFUNC_ABORT;
  own.bytes_ += static_cast<std::uint64_t>(got);
  own.tell_progress();
  return static_cast<std::size_t>(got);
}

int Exchange::on_rewind(void* self, curl_off_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Exchange*>(self)->bytes_ = static_cast<std::uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// Returns what libcurl takes for an end.
std::size_t Exchange::fail(std::string message) {
  failure_ = std::move(message);
  return 0;
}

void Exchange::tell_progress() {
  if (bytes_ <= told_) return;
  const auto now = std::chrono::steady_clock::now();
  if (bytes_ != operation_->bytes() && bytes_ < told_ + kProgressStep && now < told_at_ + kProgressPause)
    return;
  told_ = bytes_;
  told_at_ = now;
  sink_.moved(operation_->number, bytes_);
}

std::optional<Ended> Exchange::end(CURLcode code) {
  const auto status = info<long>(CURLINFO_RESPONSE_CODE);
  if (failure_.empty() && is_redirect(status)) return send_on(status);
  return judge(status, code);
}

std::optional<Ended> Exchange::send_on(long status) {
  const auto what = "the server answered " + std::to_string(status);
  if (operation_->is_put()) return refused(what + ": uploads are not sent on; give the url that it leads to");
  const char* location = info<char*>(CURLINFO_REDIRECT_URL);
  if (!location) return trouble(what + " and does not say where to");
  if (++redirects_ > kMostRedirects)
    return refused("more than " + std::to_string(kMostRedirects) + " redirects: a loop?");
  const auto there = read_address(location);
  if (!there) return refused(what + ": only http and https are followed");
  if (origin_.scheme == "https" && there->origin.scheme != "https")
    return refused(what + ": from https to http is not followed");
  prepare(there->url, there->origin);
  return std::nullopt;
}

Ended Exchange::judge(long status, CURLcode code) const {
  if (!failure_.empty()) return Ended::trouble(failure_);
  if (status == 404 || status == 410)
    return operation_->is_put() ? verdict_of_status(origin_.shown(), status, 0) : Ended::missing();
  // Also if the rest of the answer did not come: servers hang up on uploads that they do not want.
  if (status >= 300) return verdict_of_status(origin_.shown(), status, retry_after_ms());
  if (const auto proxy = info<long>(CURLINFO_HTTP_CONNECTCODE); status == 0 && proxy == 407)
    return verdict_of_status(origin_.shown(), proxy, 0);
  if (!operation_->is_put() && is_another()) return another();
  if (code == CURLE_PARTIAL_FILE)
    return trouble("truncated: " + std::to_string(bytes_) + " bytes came, then the connection ended");
  if (code != CURLE_OK) return verdict_of_error(origin_.shown(), code, detail_.data());
  return judge_answer();
}

std::uint64_t Exchange::retry_after_ms() const {
  constexpr curl_off_t kDay = 86'400;
  return static_cast<std::uint64_t>(std::clamp<curl_off_t>(info<curl_off_t>(CURLINFO_RETRY_AFTER), 0, kDay)) *
         1000;
}

Ended Exchange::another() const {
  const auto length = info<curl_off_t>(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
  return Ended::something_else(origin_.shown() + ": a blob has " + std::to_string(length) +
                               " bytes instead of " + std::to_string(name().size));
}

// Of an answer that came whole, with a status below 300.
Ended Exchange::judge_answer() const {
  const auto status = info<long>(CURLINFO_RESPONSE_CODE);
  if (operation_->is_put()) return Ended::done();
  if (!has_body(status) && status != 204) return verdict_of_status(origin_.shown(), status, 0);
  if (!asks() && !operation_->is_record() && bytes_ != operation_->bytes())
    return trouble("truncated: " + std::to_string(bytes_) + " bytes came instead of " +
                   std::to_string(operation_->bytes()));
  return Ended::done();
}

}  // namespace weir::http
