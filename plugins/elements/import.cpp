// import: the sources are the artifact, nothing is run. `from` is a folder of the sources, `to` a place below the prefix;
// a `to` that begins with a slash is a place below the root, for whole systems.
#include <fmt/format.h>

#include "plugins/elements/elements.h"
#include "plugins/sdk/config_reader.h"

namespace weir {

namespace {

std::string joined(std::string base, std::string_view part) {
  while (part.starts_with('/')) part.remove_prefix(1);
  while (part.ends_with('/')) part.remove_suffix(1);
  if (!part.empty() && part != ".") base.append("/").append(part);
  return base;
}

class ImportKind final : public ElementKind {
 public:
  std::string_view name() const override { return "import"; }
  std::uint32_t version() const override { return 1; }
  bool stages_dependencies() const override { return false; }
  ResolvedConfig resolve(std::string_view config) const override {
    ConfigReader reader(config);
    check(reader, "from", reader.text("from"));
    auto to = reader.text("to");
    check(reader, "to", std::string_view(to).substr(to.starts_with('/') ? 1 : 0));
    return reader.finish();
  }
  Result<ElementPlan> plan(std::string_view resolved, const ElementPlaces& places) const override {
    const auto to = text_in(resolved, "to");
    const auto base = to.starts_with('/') ? std::string("install") : joined("install", places.prefix);
    return ElementPlan{{CopyStep{joined("build", text_in(resolved, "from")), joined(base, to)}}, {}};
  }

 private:
  static void check(ConfigReader& reader, std::string_view key, std::string_view path) {
    if (!stays_inside(path)) reader.complain(key, fmt::format("\"{}\" leaves the sources", path), "name a folder inside");
  }
};

}  // namespace

std::unique_ptr<ElementKind> make_import_kind() { return std::make_unique<ImportKind>(); }

}  // namespace weir
