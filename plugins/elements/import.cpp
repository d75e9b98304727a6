// import: the sources are the artifact, nothing is run. `from` is a folder of the sources, `to` a place below
// the prefix; a `to` that begins with a slash is a place below the root, for whole systems.
#include <weir/element.hpp>

namespace weir::kinds {

using namespace sdk;

struct Import {
  static constexpr std::string_view kind = "import";
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t flags = WEIR_ELEMENT_ALONE;
  static constexpr std::string_view example = R"({"from":"a","to":"share"})";

  static void resolve(ConfigReader& config) {
    check(config, "from", config.text("from"));
    const auto to = config.text("to");
    check(config, "to", std::string_view(to).substr(to.starts_with('/') ? 1 : 0));
  }
  static Plan plan(const ElementRequest& request) {
    const auto to = request.config.text("to");
    const auto base = to.starts_with('/') ? std::string("install") : below("install", request.prefix);
    Plan plan;
    plan.steps.copy(below("build", request.config.text("from")), below(base, to));
    return plan;
  }

 private:
  static void check(ConfigReader& config, std::string_view key, std::string_view path) {
    if (!stays_inside(path))
      config.complain(key, in_quotes(path) + " leaves the sources", "name a folder inside");
  }
  static std::string below(std::string base, std::string_view part) {
    while (part.starts_with('/')) part.remove_prefix(1);
    while (part.ends_with('/')) part.remove_suffix(1);
    if (!part.empty() && part != ".") base.append("/").append(part);
    return base;
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::element<weir::kinds::Import>())
