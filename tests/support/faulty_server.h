// An HTTP server that misbehaves as told, on a port of 127.0.0.1, in a thread of its own. Each path has a row
// of answers: the first request gets the first one, and the last one is given ever after. Paths without any
// are 404.
//
//   FaultyServer server;
//   server.on("/x.tar", {answer::cut(body, 1000), answer::whole(body)});
//   ... download server.url("/x.tar") ...
//   EXPECT_EQ(server.requests().at(1).header("range"), "bytes=1000-");
//
// Connections are closed after one answer and served one after the other; those that stall or hold stay open
// beside it. All methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/fd.h"

namespace weir {

struct HttpRequest {
  std::string method;
  std::string path;                            // as it stands in the request: for a proxy it is the whole URL
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // as long as Content-Length says

  std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? std::string() : at->second;
  }
};

struct HttpReply {
  enum class Then {
    close,
    reset,  // the connection is torn down: what was sent may be lost
    stall,  // stays silent until the server ends
    hold,   // sends the rest of the body at FaultyServer::release()
  };
  int status = 200;                                          // 0: hangs up without a word
  std::vector<std::pair<std::string, std::string>> headers;  // without Content-Length, unless to lie
  std::string body;
  std::size_t send = std::string::npos;  // so many bytes of the body; Content-Length is all of it
  Then then = Then::close;
};

using HttpAnswer = std::function<HttpReply(const HttpRequest&)>;

namespace answer {

// As a good server does: ETag, Range, If-Range, and 416 for a range behind the end.
HttpAnswer whole(std::string body, std::string etag = "\"v1\"");
HttpAnswer without_ranges(std::string body, std::string etag = "\"v1\"");
// Like whole(), but only the first `bytes` of the answer come, then the connection ends, is silent, or waits.
HttpAnswer cut(std::string body, std::size_t bytes, std::string etag = "\"v1\"");
HttpAnswer stall(std::string body, std::size_t bytes, std::string etag = "\"v1\"");
HttpAnswer hold(std::string body, std::size_t bytes, std::string etag = "\"v1\"");
HttpAnswer redirect(std::string to, int status = 302);
HttpAnswer status(int code);
HttpAnswer hang_up();
HttpAnswer reply(HttpReply reply);

}  // namespace answer

class FaultyServer {
 public:
  FaultyServer();
  ~FaultyServer();
  FaultyServer(const FaultyServer&) = delete;
  FaultyServer& operator=(const FaultyServer&) = delete;

  int port() const { return port_; }
  std::string url(const std::string& path, const std::string& host = "127.0.0.1") const;
  // Replaces what the path had, and begins with the first answer.
  void on(const std::string& path, std::vector<HttpAnswer> answers);
  void release();

  std::vector<HttpRequest> requests() const;
  std::size_t count() const { return requests().size(); }
  // False if fewer came within two minutes.
  bool wait_for_requests(std::size_t count) const;

 private:
  struct Held {
    UniqueFd connection;
    std::string rest;
  };
  struct Row {
    std::vector<HttpAnswer> answers;
    std::size_t next = 0;
  };

  void serve();
  void serve_one(UniqueFd connection);
  // Appends at least a byte; false if the client or the server ended.
  bool read_some(int connection, std::string& text) const;
  bool read_request(int connection, HttpRequest& request) const;
  HttpReply answer_to(HttpRequest request);

  UniqueFd listener_;
  UniqueFd end_;  // readable when the server ends
  int port_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::map<std::string, Row> rows_;
  std::vector<HttpRequest> requests_;
  std::vector<Held> held_;
  std::thread thread_;
};

}  // namespace weir
