#include "tests/support/fault_proxy.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace weir {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr int kTrickleMs = 100;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool receive(int socket, std::string& text) {
  char buffer[65536];
  const auto got = ::recv(socket, buffer, sizeof buffer, 0);
  if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  return got > 0;
}

bool receive_head(int socket, std::string& text) {
  while (text.find(kEndOfHead) == text.npos)
    if (!receive(socket, text)) return false;
  return true;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Until the other side goes, or the proxy hangs up.
void hear_out(int socket) {
  for (std::string ignored; receive(socket, ignored); ignored.clear()) {
  }
}

void reset_at_close(int socket) {
  const linger at_once{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// Of a header line; names in any case.
struct Line {
  std::size_t begin = std::string::npos, end = std::string::npos;
};
Line find_line(const std::string& head, std::string_view name) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (auto at = head.find("\r\n"); at != head.npos && at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
    const auto begin = at + 2;
    if (head.size() - begin > name.size() && head[begin + name.size()] == ':' &&
        std::equal(name.begin(), name.end(), head.begin() + static_cast<std::ptrdiff_t>(begin), same))
      return {begin, head.find("\r\n", begin) + 2};
  }
  return {};
}
std::string value_of(const std::string& head, std::string_view name) {
  const auto line = find_line(head, name);
  if (line.begin == head.npos) return {};
  const auto begin = head.find_first_not_of(' ', line.begin + name.size() + 1);
  return head.substr(begin, line.end - 2 - begin);
}
void replace(std::string& head, std::string_view name, const std::string& line) {
  const auto old = find_line(head, name);
  if (old.begin != head.npos) head.erase(old.begin, old.end - old.begin);
  head.insert(head.find("\r\n") + 2, line);
}
std::uint64_t length_of(const std::string& head) {
  const auto text = value_of(head, "content-length");
  std::uint64_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

ProxiedRequest read_head(std::string head) {
  const auto first = head.find(' '), second = head.find(' ', first + 1);
  ProxiedRequest request{
      head.substr(0, first), head.substr(first + 1, second - first - 1), {}, length_of(head)};
  request.head = std::move(head);
  return request;
}

}  // namespace

FaultChoice fault_for(std::string method, std::string prefix, Fault fault, std::size_t skip,
                      std::size_t times) {
  return [=, seen = std::size_t{0}](const ProxiedRequest& request) mutable {
    if ((!method.empty() && request.method != method) || !request.path.starts_with(prefix))
      return Fault::none();
    const auto number = seen++;
    return number >= skip && number - skip < times ? fault : Fault::none();
  };
}

FaultProxy::FaultProxy(const std::string& server)
    : server_port_(std::stoi(server.substr(server.rfind(':') + 1))), wake_(::eventfd(0, EFD_CLOEXEC)) {
  listen_as(Door::open);
  thread_ = std::thread([this] { run(); });
}

FaultProxy::~FaultProxy() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    hang_up();
  }
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
  for (auto& connection : connections_) connection.thread.join();
}

std::string FaultProxy::url() const { return fmt::format("http://127.0.0.1:{}", port_.number()); }

void FaultProxy::choose(FaultChoice choice) {
  const std::lock_guard lock(mutex_);
  choice_ = std::move(choice);
}

void FaultProxy::set(Door door) {
  {
    const std::lock_guard lock(mutex_);
    hang_up();
    listen_as(door);
  }
  ::eventfd_write(wake_.get(), 1);
}

std::vector<ProxiedRequest> FaultProxy::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t FaultProxy::count(const std::string& method, const std::string& prefix) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(requests_.begin(), requests_.end(), [&](const auto& request) {
    return request.method == method && request.path.starts_with(prefix);
  }));
}

void FaultProxy::listen_as(Door door) {
  // Whoever polls it holds on to it: closing alone does not end the listening.
  if (listener_) ::shutdown(listener_.get(), SHUT_RDWR);
  listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  const auto address = loopback(port_.number());
  // Connections of the listener before may still be there.
  if (::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0 ||
      ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      (door != Door::shut && ::listen(listener_.get(), 512) != 0))
    throw std::runtime_error("a test proxy cannot listen");
  door_ = door;
}

// Wakes whoever reads or writes there.
void FaultProxy::hang_up() {
  for (auto& connection : connections_) {
    if (connection.over) continue;
    ::shutdown(connection.client.get(), SHUT_RDWR);
    if (connection.server) ::shutdown(connection.server.get(), SHUT_RDWR);
  }
}

void FaultProxy::run() {
  for (;;) {
    pollfd fds[2] = {{-1, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      if (door_ == Door::open) fds[0].fd = listener_.get();
    }
    ::poll(fds, 2, -1);
    eventfd_t count = 0;
    if (fds[1].revents) ::eventfd_read(wake_.get(), &count);
    const std::lock_guard lock(mutex_);
    if (ending_ || door_ != Door::open) continue;
    UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) continue;
    const int yes = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    auto& connection = connections_.emplace_back(Connection{std::move(client), {}});
    connection.thread = std::thread([this, &connection] { serve(connection); });
  }
}

void FaultProxy::serve(Connection& connection) {
  std::string read;
  while (serve_one(connection, read)) {
  }
  const std::lock_guard lock(mutex_);
  connection.over = true;
  connection.client.reset();
  connection.server.reset();
}

Fault FaultProxy::choose_for(const ProxiedRequest& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  return choice_ ? choice_(request) : Fault::none();
}

UniqueFd FaultProxy::connect_to_server() const {
  UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto there = loopback(server_port_);
  if (::connect(server.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) server.reset();
  return server;
}

// True: the connection may go on. `read` is what came of it and was not used.
bool FaultProxy::serve_one(Connection& connection, std::string& read) {
  const int client = connection.client.get();
  if (!receive_head(client, read)) return false;
  const auto end = read.find(kEndOfHead) + kEndOfHead.size();
  const auto request = read_head(read.substr(0, end));
  read.erase(0, end);
  const auto fault = choose_for(request);
  if (fault.kind == Fault::Kind::silence) return hear_out(client), false;
  if (fault.kind == Fault::Kind::status || fault.kind == Fault::Kind::redirect) {
    while (read.size() < request.length)
      if (!receive(client, read)) return false;
    read.erase(0, request.length);
    const auto lines =
        fault.kind == Fault::Kind::redirect ? "Location: " + fault.text + request.path + "\r\n" : fault.text;
    return send_all(client,
                    fmt::format("HTTP/1.1 {} Fault\r\nContent-Length: 0\r\n{}\r\n", fault.code, lines));
  }
  return pass_on(connection, request, read, fault);
}

bool FaultProxy::pass_on(Connection& connection, const ProxiedRequest& request, std::string& read,
                         const Fault& fault) {
  const int client = connection.client.get();
  {
    auto server = connect_to_server();
    if (!server) return false;
    const std::lock_guard lock(mutex_);
    connection.server = std::move(server);
    if (ending_) return false;
  }
  // A slow line takes little at a time; a slow reader with megabytes of room would take them in leaps.
  const int room = 64 * 1024;
  if (fault.kind == Fault::Kind::throttle) ::setsockopt(client, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  const int server = connection.server.get();
  auto head = request.head;
  replace(head, "connection", "Connection: close\r\n");
  if (!send_all(server, head) ||
      !pass_body(client, server, read, request.length, request.length > 0 ? fault : Fault::none()))
    return false;
  std::string answered;
  if (!receive_head(server, answered)) return false;
  const auto end = answered.find(kEndOfHead) + kEndOfHead.size();
  head = answered.substr(0, end);
  answered.erase(0, end);
  auto length = request.method == "HEAD" ? 0 : length_of(head);
  replace(head, "connection", "");
  const auto& own = request.length > 0 && fault.kind != Fault::Kind::trickle ? Fault::none() : fault;
  if (own.kind == Fault::Kind::shorten && length > own.bytes) {
    length = own.bytes;
    replace(head, "content-length", fmt::format("Content-Length: {}\r\n", length));
  }
  return send(client, head, own.kind == Fault::Kind::trickle ? own : Fault::none()) &&
         pass_body(server, client, answered, length, own);
}

bool FaultProxy::pass_body(int from, int to, std::string& read, std::uint64_t length, const Fault& fault) {
  const bool ends =
      (fault.kind == Fault::Kind::cut || fault.kind == Fault::Kind::reset) && fault.bytes < length;
  for (std::uint64_t passed = 0; passed < length;) {
    if (read.empty() && !receive(from, read)) return false;
    auto piece = read.substr(
        0, std::min<std::uint64_t>({read.size(), length - passed, ends ? fault.bytes - passed : length}));
    read.erase(0, piece.size());
    if (fault.kind == Fault::Kind::flip && fault.bytes >= passed && fault.bytes - passed < piece.size())
      piece[fault.bytes - passed] ^= 1;
    if (!send(to, piece, fault)) return false;
    passed += piece.size();
    if (!ends || passed < fault.bytes) continue;
    if (fault.kind == Fault::Kind::reset) {
      reset_at_close(from);
      reset_at_close(to);
    }
    return false;
  }
  return true;
}

bool FaultProxy::send(int to, std::string_view bytes, const Fault& fault) {
  if (fault.kind == Fault::Kind::throttle) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 4096))) {
      wait_for_turn(std::min<std::size_t>(bytes.size(), 4096), fault.bytes);
      if (!send_all(to, bytes.substr(0, 4096))) return false;
    }
    return true;
  }
  if (fault.kind != Fault::Kind::trickle) return send_all(to, bytes);
  for (; !bytes.empty(); bytes.remove_prefix(1)) {
    pollfd gone{to, POLLRDHUP, 0};
    if (::poll(&gone, 1, kTrickleMs) != 0 || !send_all(to, bytes.substr(0, 1))) return false;
  }
  return true;
}

void FaultProxy::wait_for_turn(std::size_t bytes, std::uint64_t bytes_a_second) {
  std::chrono::steady_clock::time_point turn;
  {
    const std::lock_guard lock(mutex_);
    turn = turn_ = std::max(turn_, std::chrono::steady_clock::now()) +
                   std::chrono::nanoseconds(bytes * 1'000'000'000 / bytes_a_second);
  }
  std::this_thread::sleep_until(turn);
}

}  // namespace weir
