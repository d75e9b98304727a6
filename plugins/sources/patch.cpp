// patch: a patch of the project, applied over the sources where `directory` says, in the order in which they are listed.
// It runs in the element's sandbox, like any command.
#include <fmt/format.h>

#include "plugins/sdk/config_reader.h"
#include "plugins/sources/sources.h"
#include "plugins/sources/url.h"

namespace weir {

namespace {

// strip directory file name place. Neither asks nor guesses that it was applied before, and leaves no .orig behind. The file
// comes by standard input: from a directory that is a link, a path back to it would lead elsewhere.
constexpr char kApply[] = R"sh(
command -v patch >/dev/null || { echo "the patch $4 needs the program patch, and it is not here" >&2; exit 1; }
patch --batch --forward --no-backup-if-mismatch --strip="$1" --directory="$2" <"$3" || { echo "the patch $4 does not apply" >&2; exit 1; }
rm -r "$5"
)sh";

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
    const auto path = text_in(resolved, "path");
    const auto file = fmt::format("{}/{}", place, file_name_of(path));
    const auto strip = std::to_string(integer_in(resolved, "strip"));
    const std::string where(directory.empty() ? "." : directory);
    return {place, {RunStep{{"sh", "-c", kApply, "weir-patch", strip, where, file, path, place}, "build", {{1, Failure::command}}}}};
  }
};

}  // namespace

std::unique_ptr<SourceKind> make_patch_kind() { return std::make_unique<PatchKind>(); }

}  // namespace weir
