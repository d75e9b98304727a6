// http: a server that keeps what it is given (PUT) under its name: <url>/cas/<hash> for blobs,
// <url>/ac/<hash> for records, as Bazel's HTTP cache does. nginx with its DAV module is one.
#include <weir/remote.hpp>

#include "plugins/remotes/http/engine.h"

namespace weir::http {
namespace {

class Http {
 public:
  static constexpr std::string_view kind = "http";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view schemes = R"(["http","https"])";
  static constexpr std::string_view example = R"({"url":"https://cache.example/weir"})";
  // More than there are requests at once: when one ends the next is here already.
  static constexpr std::uint32_t at_once = 128;

  Http(const sdk::RemoteSettings& settings, sdk::RemoteSink sink) : engine_(Access(settings), sink) {}
  void submit(sdk::Operation operation) { engine_.submit(std::move(operation)); }
  void cancel(std::uint64_t operation) { engine_.cancel(operation); }

 private:
  Engine engine_;
};

}  // namespace
}  // namespace weir::http

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::remote<weir::http::Http>())
