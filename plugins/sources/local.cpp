// local: a folder or file of the project, without what `exclude` names.
#include <fmt/format.h>

#include "plugins/sdk/config_reader.h"
#include "plugins/sources/sources.h"

namespace weir {

namespace {

class LocalKind final : public SourceKind {
 public:
  std::string_view name() const override { return "local"; }
  std::uint32_t version() const override { return 1; }
  ResolvedConfig resolve(std::string_view config) const override {
    ConfigReader reader(config);
    const auto path = reader.required_text("path", "name a folder or file of the project, as in path = \"src\"");
    if (!stays_inside(path))
      reader.complain("path", fmt::format("the path \"{}\" leaves the project", path),
                      "local sources are inside of the project's folder");
    reader.texts("exclude");
    return reader.finish();
  }
  std::optional<ProjectContent> content(std::string_view resolved) const override {
    return ProjectContent{text_in(resolved, "path"), texts_in(resolved, "exclude")};
  }
};

}  // namespace

std::unique_ptr<SourceKind> make_local_kind() { return std::make_unique<LocalKind>(); }

}  // namespace weir
