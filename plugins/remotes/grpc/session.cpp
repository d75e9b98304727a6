#include "plugins/remotes/grpc/session.h"

#include <weir_reapi.pb.h>

#include <random>

namespace weir::reapi {

std::string random_uuid() {
  std::random_device device;
  std::string text = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
  for (auto& c : text)
    if (c == 'x') c = "0123456789abcdef"[device() % 16];
  return text;
}

std::string Session::resource(std::string_view rest) const {
  return (instance_.empty() ? "" : instance_ + "/") + std::string(rest);
}

CallNumber Session::start(const std::string& method, std::string_view about, std::shared_ptr<Stream> stream) {
  return line_.start(method, headers(about), std::move(stream));
}
CallNumber Session::ask(const std::string& method, std::string_view about, std::string message,
                        std::function<void(const Status&, const std::string&)> done) {
  return line_.ask(method, headers(about), std::move(message), std::move(done));
}

Headers Session::headers(std::string_view about) const {
  build::bazel::remote::execution::v2::RequestMetadata metadata;
  metadata.mutable_tool_details()->set_tool_name("weir");
  metadata.mutable_tool_details()->set_tool_version(WEIR_VERSION);
  metadata.set_tool_invocation_id(invocation_);
  metadata.set_action_id(std::string(about));
  Headers headers{{"build.bazel.remote.execution.v2.requestmetadata-bin", metadata.SerializeAsString()}};
  if (!token_.empty()) headers.emplace_back("authorization", "Bearer " + token_);
  return headers;
}

}  // namespace weir::reapi
