// tar: an archive (tar with any compression, zip and others), unpacked without its `strip` leading path parts.
#include "plugins/sdk/config_reader.h"
#include "plugins/sources/download.h"
#include "plugins/sources/sources.h"
#include "plugins/sources/url.h"

namespace weir {

namespace {

class TarKind final : public DownloadedKind {
 public:
  std::string_view name() const override { return "tar"; }
  std::uint32_t version() const override { return 1; }
  ResolvedConfig resolve(std::string_view config) const override {
    ConfigReader reader(config);
    read_url(reader, kDownloadSchemes);
    reader.integer("strip", 0, 0, 100);
    return reader.finish();
  }
  std::string key_config(std::string_view resolved) const override { return part_of(resolved, {"strip"}); }
  std::vector<Step> plan_fetch(std::string_view resolved, const SourceRequest& request) const override {
    const auto folder = "source/" + std::string(request.name);
    const auto strip = static_cast<std::uint32_t>(integer_in(resolved, "strip"));
    return {DownloadStep{std::string(request.url), folder + ".archive", std::string(request.ref)},
            UnpackStep{folder + ".archive", folder, strip}};
  }
};

}  // namespace

std::unique_ptr<SourceKind> make_tar_kind() { return std::make_unique<TarKind>(); }

}  // namespace weir
