// The other side of a control socket, byte by byte. Waiting for something runs the loop, and nothing else
// does.
#pragma once

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/control/control_socket.h"

namespace weir {

inline std::size_t poll_once(boost::asio::io_context& loop) {
  if (loop.stopped()) loop.restart();
  return loop.poll();
}

// False at the deadline.
inline bool run_until(boost::asio::io_context& loop, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    poll_once(loop);
  }
  return true;
}

class Peer {
 public:
  Peer(boost::asio::io_context& loop, const std::string& folder) : loop_(loop) {
    run_until(loop, [&] {
      auto connected = control::connect_in(folder);
      if (connected) socket_ = std::move(*connected);
      return connected || connected.error().reason == Reason::not_found;
    });
  }

  bool connected() const { return static_cast<bool>(socket_); }
  int fd() const { return socket_.get(); }

  // False if the other side does not take all of it.
  bool send(std::string_view bytes) {
    bool broken = false;
    run_until(loop_, [&] {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      broken = sent < 0 && errno != EAGAIN;
      return bytes.empty() || broken;
    });
    return bytes.empty();
  }
  void say_no_more() { ::shutdown(socket_.get(), SHUT_WR); }
  void hang_up() { socket_.reset(); }

  // The next line, without its end; nothing if there is none before the other side ends.
  std::optional<std::string> line() {
    std::optional<std::string> out;
    run_until(loop_, [&] {
      if (!ended_) receive_some();
      out = take();
      return out || ended_;
    });
    return out;
  }
  std::string ask(const std::string& request) {
    send(request + "\n");
    return line().value_or("(nothing)");
  }
  // Reads until the other side ends; false if it does not.
  bool ends() {
    return run_until(loop_, [&] {
      receive_some();
      return ended_;
    });
  }
  // Takes what is there already; whole lines that came so far are then had by take().
  void receive_all() {
    while (!ended_ && receive_some()) {
    }
  }
  std::optional<std::string> take() {
    const auto end = received_.find('\n');
    if (end == received_.npos) return std::nullopt;
    auto line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return line;
  }
  const std::string& rest() const { return received_; }
  bool ended() const { return ended_; }

 private:
  // Whether anything came.
  bool receive_some() {
    char buffer[64 * 1024];
    const auto got = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) received_.append(buffer, static_cast<std::size_t>(got));
    ended_ = got == 0 || (got < 0 && errno != EAGAIN);
    return got > 0;
  }

  boost::asio::io_context& loop_;
  UniqueFd socket_;
  std::string received_;
  bool ended_ = false;
};

}  // namespace weir
