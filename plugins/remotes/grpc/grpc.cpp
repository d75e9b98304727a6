// The remote `grpc`: a server of the Remote Execution API v2 (https://github.com/bazelbuild/remote-apis) as a
// cache. Blobs are in its content addressable storage, records in its action cache.
#include <fstream>
#include <iterator>

#include <weir/remote.hpp>

#include "plugins/remotes/grpc/cache.h"
#include "plugins/remotes/grpc/url.h"

using namespace weir::sdk;

namespace {

std::string certificates_in(const std::string& file) {
  if (file.empty()) return {};
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in || text.empty())
    throw Refused{"the certificates in " + file + " cannot be read",
                  "name a file in PEM with certificates to trust", "ca"};
  return text;
}

weir::reapi::LineSettings line_of(const RemoteSettings& settings, const weir::reapi::Url& url) {
  return {url.server, url.secure, certificates_in(settings.ca),
          std::chrono::milliseconds(settings.connect_timeout_ms)};
}

class Grpc {
 public:
  static constexpr std::string_view kind = "grpc";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view schemes = R"(["grpc","grpcs"])";
  static constexpr std::string_view example = R"({"url":"grpcs://cache.example/main"})";
  static constexpr std::uint32_t at_once = 512;  // so that batches fill

  Grpc(const RemoteSettings& settings, RemoteSink sink)
      : Grpc(settings, weir::reapi::parse_url(settings.url), sink) {}
  void submit(Operation operation) { cache_.submit(std::move(operation)); }
  void cancel(std::uint64_t operation) { cache_.cancel(operation); }

 private:
  Grpc(const RemoteSettings& settings, const weir::reapi::Url& url, RemoteSink sink)
      : cache_(line_of(settings, url), url.instance, settings.token, sink) {}

  weir::reapi::Cache cache_;
};

}  // namespace

WEIR_PLUGIN("weir", WEIR_VERSION, remote<Grpc>())
