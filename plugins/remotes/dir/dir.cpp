// dir: a folder that several machines or users see, on NFS for one. It may be shared with Bazel's
// --disk_cache.
#include <weir/remote.hpp>

#include "plugins/remotes/dir/workers.h"

namespace weir::dir {
namespace {

class Dir {
 public:
  static constexpr std::string_view kind = "dir";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view schemes = R"(["dir"])";
  static constexpr std::string_view example = R"({"url":"dir:/srv/weir"})";
  // More than there are threads: when one is done the next is here already.
  static constexpr std::uint32_t at_once = 8;
  static constexpr std::uint32_t flags = WEIR_REMOTE_VERIFIES;

  Dir(const sdk::RemoteSettings& settings, sdk::RemoteSink sink) : workers_(settings.url, sink) {}
  void submit(sdk::Operation operation) { workers_.submit(std::move(operation)); }
  void cancel(std::uint64_t operation) { workers_.cancel(operation); }

 private:
  Workers workers_;
};

}  // namespace
}  // namespace weir::dir

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::remote<weir::dir::Dir>())
