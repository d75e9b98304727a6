// patch: a patch of the project, applied over the sources where `directory` says, in the order in which they
// are listed. It runs in the element's sandbox, like any command.
#include <weir/source.hpp>

#include "plugins/sources/url.h"

namespace weir::kinds {

namespace {

// strip directory file name place. Neither asks nor guesses that it was applied before, and leaves no .orig
// behind. The file comes by standard input: from a directory that is a link, a path back to it would lead
// elsewhere.
constexpr char kApply[] = R"sh(
command -v patch >/dev/null || { echo "the patch $4 needs the program patch, and it is not here" >&2; exit 1; }
patch --batch --forward --no-backup-if-mismatch --strip="$1" --directory="$2" <"$3" || { echo "the patch $4 does not apply" >&2; exit 1; }
rm -r "$5"
)sh";

}  // namespace

struct Patch {
  static constexpr std::string_view kind = "patch";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view host_tools = R"(["patch"])";
  static constexpr std::string_view example = R"({"path":"fix.patch"})";

  static void resolve(ConfigReader& config) {
    const auto path = config.required_text("path", "name a file of the project, as in path = \"fix.patch\"");
    if (!stays_inside(path) || path.ends_with('/'))
      config.complain("path", in_quotes(path) + " is no file of the project",
                      "patches are inside of the project's folder");
    config.integer("strip", 1, 0, 100);
  }
  static Description describe(const Json& config) {
    return {.path = config.text("path"), .key = config.part({"strip"})};
  }
  static Stage plan_stage(const StageRequest& request) {
    const auto place = ".weir-patch-" + request.name;
    const auto path = request.config.text("path");
    const auto strip = std::to_string(request.config.integer("strip"));
    const auto where = request.directory.empty() ? "." : request.directory;
    return {place, Steps().run({"sh", "-c", kApply, "weir-patch", strip, where,
                                place + "/" + file_name_of(path), path, place},
                               "build", {{1, "command"}})};
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::source<weir::kinds::Patch>())
