// local: a folder or file of the project, without what `exclude` names.
#include <weir/source.hpp>

namespace weir::kinds {

using namespace sdk;

struct Local {
  static constexpr std::string_view kind = "local";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view example = R"({"path":"src","exclude":["*.o"]})";

  static void resolve(ConfigReader& config) {
    const auto path =
        config.required_text("path", "name a folder or file of the project, as in path = \"src\"");
    if (!stays_inside(path))
      config.complain("path", "the path " + in_quotes(path) + " leaves the project",
                      "local sources are inside of the project's folder");
    config.texts("exclude");
  }
  static Description describe(const Json& config) {
    return {.path = config.text("path"), .exclude = config.texts("exclude")};
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::source<weir::kinds::Local>())
