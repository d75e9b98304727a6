// patch: a patch of the project, applied over the sources where `directory` says, in the order in which they are listed.
// It runs in the element's sandbox, like any command.
#include <fmt/format.h>

#include "plugins/sdk/config_reader.h"
#include "plugins/sources/sources.h"
#include "plugins/sources/url.h"

namespace weir {

namespace {

// From a folder below the build directory back to it: "" or "../../".
std::string way_up(std::string_view directory) {
  std::string up;
  while (!directory.empty()) {
    const auto end = std::min(directory.find('/'), directory.size());
    if (end > 0 && directory.substr(0, end) != ".") up += "../";
    directory.remove_prefix(std::min(end + 1, directory.size()));
  }
  return up;
}

class PatchKind final : public SourceKind {
 public:
  std::string_view name() const override { return "patch"; }
  std::uint32_t version() const override { return 1; }
  std::vector<std::string> host_tools() const override { return {"patch"}; }
  ResolvedConfig resolve(std::string_view config) const override {
    ConfigReader reader(config);
    const auto path = reader.required_text("path", "name a file of the project, as in path = \"fix.patch\"");
    if (!stays_inside(path) || path.ends_with('/'))
      reader.complain("path", fmt::format("\"{}\" is no file of the project", path), "patches are inside of the project's folder");
    reader.integer("strip", 1, 0, 100);
    return reader.finish();
  }
  std::optional<ProjectContent> content(std::string_view resolved) const override {
    return ProjectContent{text_in(resolved, "path"), {}};
  }
  std::string key_config(std::string_view resolved) const override { return part_of(resolved, {"strip"}); }
  SourceStage plan_stage(std::string_view resolved, std::string_view directory, std::string_view name) const override {
    const auto place = fmt::format(".weir-patch-{}", name);
    const auto input = fmt::format("--input={}{}/{}", way_up(directory), place, file_name_of(text_in(resolved, "path")));
    const auto strip = fmt::format("--strip={}", integer_in(resolved, "strip"));
    const auto where = directory.empty() ? std::string("build") : fmt::format("build/{}", directory);
    // Neither asks nor guesses that it was applied before, and leaves no .orig behind.
    return {place,
            {RunStep{{"patch", "--batch", "--forward", "--no-backup-if-mismatch", strip, input}, where},
             RunStep{{"rm", "-r", place}}}};
  }
};

}  // namespace

std::unique_ptr<SourceKind> make_patch_kind() { return std::make_unique<PatchKind>(); }

}  // namespace weir
