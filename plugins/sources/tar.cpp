// tar: an archive (tar with any compression, zip and others), unpacked without its `strip` leading path
// parts.
#include "plugins/sources/download.h"

namespace weir::kinds {

struct Tar : Downloaded {
  static constexpr std::string_view kind = "tar";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view example = R"({"url":"https://example.org/a-1.0.tar.gz","strip":1})";

  static void resolve(ConfigReader& config) {
    read_url(config, kDownloadSchemes);
    config.integer("strip", 0, 0, 100);
  }
  static Description describe(const Json& config) { return {.key = config.part({"strip"})}; }
  static Steps plan_fetch(const SourceRequest& request) {
    const auto folder = "source/" + request.name;
    return Steps()
        .download(request.url, folder + ".archive", request.ref)
        .unpack(folder + ".archive", folder, request.config.integer("strip"));
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::source<weir::kinds::Tar>())
