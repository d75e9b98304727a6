// excerpt: some lines of a text file of the project.
//
//   source = [{ kind = "excerpt", path = "names.txt", first = 2, last = 3 }]
#include <weir/plugin.hpp>

using namespace weir::sdk;

struct Excerpt {
  static constexpr std::string_view kind = "excerpt";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view host_tools = R"(["sed"])";
  static constexpr std::string_view example = R"({"path":"names.txt","first":2,"last":3})";

  static void resolve(ConfigReader& config) {
    const auto path = config.required_text("path", "name a file of the project, as in path = \"names.txt\"");
    if (!stays_inside(path))
      config.complain("path", in_quotes(path) + " leaves the project", "name a file inside of it");
    const auto first = config.integer("first", 1, 1, 1'000'000);
    config.integer("last", first, first, 1'000'000);
  }
  static Description describe(const Json& config) {
    return {.path = config.text("path"), .key = config.part({"first", "last"})};
  }
  static Stage plan_stage(const StageRequest& request) {
    const auto path = request.config.text("path");
    const auto folder = request.directory.empty() ? std::string("build") : "build/" + request.directory;
    const auto lines = std::to_string(request.config.integer("first")) + "," +
                       std::to_string(request.config.integer("last")) + "p";
    return {request.directory,
            Steps().run({"sed", "-n", "-i", "-e", lines, "--", path.substr(path.rfind('/') + 1)}, folder)};
  }
};

WEIR_PLUGIN("example-excerpt", "1.0", source<Excerpt>())
