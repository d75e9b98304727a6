#include "core/cli/plugin_template.h"

namespace weir::cli {

namespace {

constexpr std::string_view kSource = R"code(// @kind@: one file of elsewhere, pinned by its SHA-256.
//
//   source = [{ kind = "@kind@", url = "https://example.org/list.txt", file = "list.txt" }]
#include <weir/source.hpp>

using namespace weir::sdk;

struct @Kind@Source {
  static constexpr std::string_view kind = "@kind@";
  // Part of every key: raise it when the same configuration gives other files.
  static constexpr std::uint32_t version = 1;
  // A configuration that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"url":"https://example.org/list.txt","file":"list.txt"})";

  // Asks for the keys that users may write, and refuses all others.
  static void resolve(ConfigReader& config) {
    config.required_text("url", "say where it comes from, as in url = \"https://example.org/list.txt\"");
    const auto file = config.text("file", "data");
    if (file.empty() || file == "." || file == ".." || file.find('/') != file.npos)
      config.complain("file", in_quotes(file) + " is no name for a file", "give it one, as in file = \"list.txt\"");
  }
  // What beside the ref decides on the files.
  static Description describe(const Json& config) { return {.key = config.part({"file"})}; }

  // What is written in weir.lock has to be a SHA-256.
  static void check_ref(std::string_view ref) {
    if (ref.size() != 64 || ref.find_first_not_of("0123456789abcdef") != ref.npos)
      throw Refused{in_quotes(ref) + " is no SHA-256", "`weir track` finds it out"};
  }
  // `weir track`: steps that leave what is to be known in source/<name>.track, and the ref that follows from it.
  static Steps plan_track(const SourceRequest& request) { return Steps().download(request.url, "source/" + request.name + ".track"); }
  static std::string parse_track(const TrackAnswer& answer) { return answer.sha256; }
  // `weir fetch`: steps that fill source/<name> with exactly what the ref names.
  static Steps plan_fetch(const SourceRequest& request) {
    return Steps().download(request.url, "source/" + request.name + "/" + request.config.text("file"), request.ref);
  }
};

WEIR_PLUGIN("@kind@-plugin", "0.1", source<@Kind@Source>())
)code";

constexpr std::string_view kSourceProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["hello"]

# Fails if what was fetched is not what it should be. The url is a path, so that no network is needed.
[element.hello]
kind = "script"
source = [{ kind = "@kind@", url = "upstream.txt", file = "hello.txt" }]
config.commands = ["test \"$(cat hello.txt)\" = 'Hello from @kind@.'"]
)";

}  // namespace

PluginTemplate source_template() { return {kSource, kSourceProject, " --track"}; }

}  // namespace weir::cli
