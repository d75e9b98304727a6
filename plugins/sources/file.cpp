// file: one file as it is, under a name of one's choice.
#include "plugins/sources/download.h"

namespace weir::kinds {

struct File : Downloaded {
  static constexpr std::string_view kind = "file";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view example = R"({"url":"https://example.org/data.bin"})";

  static void resolve(ConfigReader& config) {
    const auto url = read_url(config, kDownloadSchemes);
    const auto name = config.text("name", file_name_of(url));
    if (!is_file_name(name))
      config.complain("name", in_quotes(name) + " is no name for a file",
                      "give it one, as in name = \"data.bin\"");
    config.boolean("executable", false);
  }
  static Description describe(const Json& config) { return {.key = config.part({"executable", "name"})}; }
  static Steps plan_fetch(const SourceRequest& request) {
    const auto to = "source/" + request.name + "/" + request.config.text("name");
    return Steps().download(request.url, to, request.ref, request.config.boolean("executable"));
  }

 private:
  static bool is_file_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\0", 2)) == name.npos;
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::source<weir::kinds::File>())
