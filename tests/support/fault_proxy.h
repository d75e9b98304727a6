// Stands on a port of 127.0.0.1 between a client and an HTTP server and passes everything on, except for what
// it is told to do wrong. Whoever chooses sees the head of each request:
//
//   FaultProxy proxy(nginx.url(""));
//   proxy.choose(fault_for("GET", "/cas/", Fault::reset(1000), 0, 1));   // the first of them, once
//   ... pull through proxy.url() ...
//   proxy.heal();
//
// A thread for each connection. All methods may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/fd.h"
#include "tests/support/reserved_port.h"

namespace weir {

struct ProxiedRequest {
  std::string method;
  std::string path;
  std::string head;          // all of it, as it came
  std::uint64_t length = 0;  // of its body
};

struct Fault {
  enum class Kind : std::uint8_t {
    none,
    silence,   // takes the request and answers nothing
    status,    // answers by itself
    redirect,  // to `text` and the path
    cut,       // hangs up after so many bytes of the body: of the request, if it has one
    reset,     // the same, and what was sent may be lost
    shorten,   // says that the body has so many bytes, and sends no more
    flip,      // changes that byte of the body
    trickle,   // one byte of the answer in 100 ms
    throttle,  // so many bytes in a second, of all connections together
  };
  Kind kind = Kind::none;
  std::uint64_t bytes = 0;
  int code = 0;
  std::string text = {};  // further header lines of an answer

  static Fault none() { return {}; }
  static Fault silence() { return {Kind::silence}; }
  static Fault status(int code, std::string lines = {}) { return {Kind::status, 0, code, std::move(lines)}; }
  static Fault redirect(std::string to) { return {Kind::redirect, 0, 307, std::move(to)}; }
  static Fault cut(std::uint64_t after) { return {Kind::cut, after}; }
  static Fault reset(std::uint64_t after) { return {Kind::reset, after}; }
  static Fault shorten(std::uint64_t to) { return {Kind::shorten, to}; }
  static Fault flip(std::uint64_t byte) { return {Kind::flip, byte}; }
  static Fault trickle() { return {Kind::trickle}; }
  static Fault throttle(std::uint64_t bytes_a_second) { return {Kind::throttle, bytes_a_second}; }
};

// One call at a time.
using FaultChoice = std::function<Fault(const ProxiedRequest&)>;

// For requests of that method (empty: any) whose path begins so: all but the first `skip`, and then `times`
// of them.
FaultChoice fault_for(std::string method, std::string prefix, Fault fault, std::size_t skip = 0,
                      std::size_t times = SIZE_MAX);

class FaultProxy {
 public:
  enum class Door : std::uint8_t {
    open,
    shut,  // connections are refused
    deaf,  // connections are made, and nobody looks at them
  };
  explicit FaultProxy(const std::string& server);  // "http://127.0.0.1:PORT"
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::string url() const;
  void choose(FaultChoice choice);
  // Connections that are there are ended.
  void set(Door door);
  // As at first.
  void heal() {
    choose({});
    set(Door::open);
  }

  std::vector<ProxiedRequest> requests() const;
  std::size_t count(const std::string& method, const std::string& prefix) const;

 private:
  struct Connection {
    UniqueFd client;
    UniqueFd server;
    std::thread thread = {};
    bool over = false;
  };

  void run();
  void listen_as(Door door);
  void hang_up();
  void serve(Connection& connection);
  bool serve_one(Connection& connection, std::string& read);
  bool pass_on(Connection& connection, const ProxiedRequest& request, std::string& read, const Fault& fault);
  bool pass_body(int from, int to, std::string& read, std::uint64_t length, const Fault& fault);
  bool send(int to, std::string_view bytes, const Fault& fault);
  void wait_for_turn(std::size_t bytes, std::uint64_t bytes_a_second);
  Fault choose_for(const ProxiedRequest& request);
  UniqueFd connect_to_server() const;

  const int server_port_;
  const ReservedPort port_;
  UniqueFd wake_;
  mutable std::mutex mutex_;
  UniqueFd listener_;
  Door door_ = Door::open;
  bool ending_ = false;
  FaultChoice choice_;
  std::vector<ProxiedRequest> requests_;
  std::list<Connection> connections_;
  std::chrono::steady_clock::time_point turn_{};
  std::thread thread_;
};

}  // namespace weir
