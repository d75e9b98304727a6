#include "tests/support/faulty_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace weir {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpRequest parse_head(const std::string& head) {
  HttpRequest request;
  std::istringstream lines(head);
  lines >> request.method >> request.path;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "\r") {
    const auto colon = line.find(": ");
    if (colon == line.npos) continue;
    const auto end = line.find_last_not_of('\r');
    request.headers[lower(line.substr(0, colon))] = line.substr(colon + 2, end - colon - 1);
  }
  return request;
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;  // the client is gone, which is its right
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void reset_at_close(int connection) {
  const linger at_once{1, 0};
  ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

std::string head_of(const HttpReply& reply) {
  auto head = fmt::format("HTTP/1.1 {} Answer\r\nConnection: close\r\n", reply.status);
  bool sized = false;
  for (const auto& [name, value] : reply.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
    sized |= lower(name) == "content-length";
  }
  if (!sized) head += fmt::format("Content-Length: {}\r\n", reply.body.size());
  return head + "\r\n";
}

// "bytes=N-", if the file is still the one that the client has the beginning of.
std::optional<std::size_t> wanted_from(const HttpRequest& request, const std::string& etag) {
  const auto range = request.header("range");
  const auto if_range = request.header("if-range");
  if (!range.starts_with("bytes=") || (!if_range.empty() && if_range != etag)) return std::nullopt;
  std::size_t from = 0;
  std::from_chars(range.data() + 6, range.data() + range.size(), from);
  return from;
}

HttpReply good_reply(const HttpRequest& request, const std::string& body, const std::string& etag) {
  HttpReply reply;
  if (!etag.empty()) reply.headers.emplace_back("ETag", etag);
  reply.headers.emplace_back("Accept-Ranges", "bytes");
  const auto from = wanted_from(request, etag);
  if (!from) {
    reply.body = body;
  } else if (*from >= body.size()) {
    reply.status = 416;
    reply.headers.emplace_back("Content-Range", fmt::format("bytes */{}", body.size()));
  } else {
    reply.status = 206;
    reply.headers.emplace_back("Content-Range",
                               fmt::format("bytes {}-{}/{}", *from, body.size() - 1, body.size()));
    reply.body = body.substr(*from);
  }
  return reply;
}

HttpAnswer partly(std::string body, std::size_t bytes, std::string etag, HttpReply::Then then) {
  return [=](const HttpRequest& request) {
    auto reply = good_reply(request, body, etag);
    reply.send = bytes;
    reply.then = then;
    return reply;
  };
}

}  // namespace

namespace answer {

HttpAnswer whole(std::string body, std::string etag) {
  return [=](const HttpRequest& request) { return good_reply(request, body, etag); };
}
HttpAnswer without_ranges(std::string body, std::string etag) {
  return [=](const HttpRequest&) { return good_reply({}, body, etag); };
}
HttpAnswer cut(std::string body, std::size_t bytes, std::string etag) {
  return partly(std::move(body), bytes, std::move(etag), HttpReply::Then::close);
}
HttpAnswer stall(std::string body, std::size_t bytes, std::string etag) {
  return partly(std::move(body), bytes, std::move(etag), HttpReply::Then::stall);
}
HttpAnswer hold(std::string body, std::size_t bytes, std::string etag) {
  return partly(std::move(body), bytes, std::move(etag), HttpReply::Then::hold);
}
HttpAnswer redirect(std::string to, int status) {
  return reply({status, {{"Location", std::move(to)}}, "moved"});
}
HttpAnswer status(int code) { return reply({code, {}, "an error page"}); }
HttpAnswer hang_up() { return reply({0, {}, {}}); }
HttpAnswer reply(HttpReply given) {
  return [given = std::move(given)](const HttpRequest&) { return given; };
}

}  // namespace answer

FaultyServer::FaultyServer()
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), end_(::eventfd(0, EFD_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0)
    throw std::runtime_error("a test server finds no port");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FaultyServer::~FaultyServer() {
  ::eventfd_write(end_.get(), 1);
  thread_.join();
}

std::string FaultyServer::url(const std::string& path, const std::string& host) const {
  return fmt::format("http://{}:{}{}", host, port_, path);
}

void FaultyServer::on(const std::string& path, std::vector<HttpAnswer> answers) {
  const std::lock_guard lock(mutex_);
  rows_[path] = {std::move(answers), 0};
}

void FaultyServer::release() {
  const std::lock_guard lock(mutex_);
  for (const auto& [connection, rest] : held_) send_all(connection.get(), rest);
  held_.clear();
}

std::vector<HttpRequest> FaultyServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool FaultyServer::wait_for_requests(std::size_t count) const {
  std::unique_lock lock(mutex_);
  return news_.wait_for(lock, std::chrono::minutes(2), [&] { return requests_.size() >= count; });
}

void FaultyServer::serve() {
  for (;;) {
    pollfd fds[] = {{listener_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents) return;
    UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) serve_one(std::move(connection));
  }
}

bool FaultyServer::read_some(int connection, std::string& text) const {
  pollfd fds[] = {{connection, POLLIN, 0}, {end_.get(), POLLIN, 0}};
  char buffer[4096];
  if (::poll(fds, 2, -1) < 0 || fds[1].revents) return false;
  const auto got = ::recv(connection, buffer, sizeof buffer, 0);
  if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  return got > 0;
}

bool FaultyServer::read_request(int connection, HttpRequest& request) const {
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  std::string text;
  while (text.find(kEndOfHead) == text.npos) {
    // There is no TLS here: its first byte is hung up on.
    if (!read_some(connection, text) || text.front() == 0x16) return false;
  }
  request = parse_head(text);
  request.body = text.substr(text.find(kEndOfHead) + kEndOfHead.size());
  const auto length = request.header("content-length");
  const auto wanted = length.empty() ? 0 : std::stoull(length);
  while (request.body.size() < wanted)
    if (!read_some(connection, request.body)) return false;
  return true;
}

HttpReply FaultyServer::answer_to(HttpRequest request) {
  HttpAnswer chosen = answer::status(404);
  {
    const std::lock_guard lock(mutex_);
    const auto row = rows_.find(request.path);
    if (row != rows_.end() && !row->second.answers.empty()) {
      chosen = row->second.answers[row->second.next];
      if (row->second.next + 1 < row->second.answers.size()) ++row->second.next;
    }
    requests_.push_back(request);
  }
  news_.notify_all();
  return chosen(request);
}

void FaultyServer::serve_one(UniqueFd connection) {
  HttpRequest request;
  if (!read_request(connection.get(), request)) return;
  const auto reply = answer_to(std::move(request));
  if (reply.status == 0) return;
  const auto now = std::min(reply.send, reply.body.size());
  send_all(connection.get(), head_of(reply) + reply.body.substr(0, now));
  if (reply.then == HttpReply::Then::reset) reset_at_close(connection.get());
  if (reply.then == HttpReply::Then::close || reply.then == HttpReply::Then::reset) return;
  const std::lock_guard lock(mutex_);
  const bool hold = reply.then == HttpReply::Then::hold;
  held_.push_back({std::move(connection), hold ? reply.body.substr(now) : std::string()});
}

}  // namespace weir
