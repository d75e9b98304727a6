// One request after the other on one easy handle: what it asks, where the bytes of its body come from or go
// to, and what its end means. Used on the engine's thread.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <weir/remote.hpp>

#include "plugins/remotes/http/access.h"

namespace weir::http {

class Exchange {
 public:
  // Both outlive it.
  Exchange(const Access& access, const sdk::RemoteSink& sink);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  static Exchange& of(CURL* easy);
  CURL* easy() const { return easy_.get(); }

  // Gets ready for the name with that index. The operation stays until the end.
  void ask(const sdk::Operation& operation, std::size_t index);
  const sdk::Operation& operation() const { return *operation_; }
  std::size_t index() const { return index_; }

  // What became of it; missing also for names that were asked about and are not there. Nothing if it has to
  // be added once more, since the server sent it on.
  std::optional<sdk::Ended> end(CURLcode code);

 private:
  using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

  template <class T>
  void set(CURLoption option, T value) {
    ::curl_easy_setopt(easy_.get(), option, value);
  }
  template <class T>
  T info(CURLINFO what) const {
    T value{};
    ::curl_easy_getinfo(easy_.get(), what, &value);
    return value;
  }
  bool asks() const;
  bool is_another() const;
  const sdk::BlobName& name() const { return operation_->blobs[index_]; }

  void prepare(const std::string& url, const Origin& origin);
  void prepare_action();
  void prepare_put();
  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t on_upload(char* data, std::size_t, std::size_t room, void* self);
  static int on_rewind(void* self, curl_off_t offset, int origin);
  std::size_t keep(const char* data, std::size_t size);
  bool write(const char* data, std::size_t size);
  std::size_t fail(std::string message);
  void tell_progress();

  std::optional<sdk::Ended> send_on(long status);
  sdk::Ended judge(long status, CURLcode code) const;
  sdk::Ended judge_answer() const;
  std::uint64_t retry_after_ms() const;
  sdk::Ended another() const;
  sdk::Ended trouble(const std::string& message) const {
    return sdk::Ended::trouble(origin_.shown() + ": " + message);
  }
  sdk::Ended refused(const std::string& message) const {
    return sdk::Ended::refused(origin_.shown() + ": " + message);
  }

  const Access& access_;
  const sdk::RemoteSink& sink_;
  Easy easy_{curl_easy_init(), curl_easy_cleanup};
  std::array<char, CURL_ERROR_SIZE> detail_{};
  const sdk::Operation* operation_ = nullptr;
  std::size_t index_ = 0;
  Origin origin_;
  int redirects_ = 0;
  std::uint64_t bytes_ = 0;  // of the body, in the file or sent
  std::uint64_t told_ = 0;
  std::chrono::steady_clock::time_point told_at_{};
  std::uint64_t ignored_ = 0;  // of bodies that nobody wants
  std::string failure_;        // why we ended it ourselves
};

}  // namespace weir::http
