// A port of 127.0.0.1 that the kernel chose and that no other process gets while this lives. Nobody listens
// there, so connections are refused, unless a program of the same user is told the number and sets
// SO_REUSEPORT as well.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>

#include "core/base/fd.h"

namespace weir {

class ReservedPort {
 public:
  ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0 ||
        ::bind(socket_.get(), generic, size) != 0 || ::getsockname(socket_.get(), generic, &size) != 0)
      throw std::runtime_error("a test finds no port");
    number_ = ntohs(address.sin_port);
  }
  int number() const { return number_; }

 private:
  UniqueFd socket_;
  int number_ = 0;
};

}  // namespace weir
