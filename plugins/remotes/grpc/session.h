// What all calls to a server have in common: the line, the name of the instance, the header that says who
// asks.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plugins/remotes/grpc/line.h"

namespace weir::reapi {

std::string random_uuid();

class Session {
 public:
  Session(Line& line, std::string instance, std::string token)
      : line_(line), instance_(std::move(instance)), token_(std::move(token)), invocation_(random_uuid()) {}

  Line& line() { return line_; }
  const std::string& instance() const { return instance_; }
  // "instance/blobs/..": how ByteStream calls things.
  std::string resource(std::string_view rest) const;

  // `about`: what the call is made for, for the logs of the server.
  CallNumber start(const std::string& method, std::string_view about, std::shared_ptr<Stream> stream);
  CallNumber ask(const std::string& method, std::string_view about, std::string message,
                 std::function<void(const Status&, const std::string& answer)> done);

 private:
  Headers headers(std::string_view about) const;

  Line& line_;
  std::string instance_;
  std::string token_;  // empty: none
  std::string invocation_;
};

}  // namespace weir::reapi
