// scan: a queue with all that one can have: a configuration, a token of its own, an opinion, commands, and a
// say in what the end of a job means. It looks for a word in the files of an element.
#include <weir/plugin.hpp>

namespace {

using namespace weir::sdk;

struct Scan {
  static constexpr std::string_view kind = "scan";
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t flags = WEIR_QUEUE_SOURCES;
  static constexpr std::string_view resources = R"({"scanner":1})";
  static constexpr std::string_view example = R"({"word":"secret"})";

  static void resolve(ConfigReader& config) {
    config.required_text("word", "say what to look for");
    config.boolean("strict", true);
    config.boolean("refuse", false);
  }
  static Json needs(const QueueRequest&) { return Json::Object{{"scanner", 1}}; }
  static Classified classify(const QueueRequest& request) {
    const auto wish = request.element.find("public")->text("scan");
    if (wish == "no") return skip("it does not want to be scanned");
    return wish == "forbidden" ? never("it must not be built") : ready();
  }
  static Plan plan(const QueueRequest& request) {
    Plan plan;
    plan.environment.emplace("WORD", request.config.text("word"));
    plan.steps.shell("! grep -r -- \"$WORD\" .");
    plan.steps.write("install/scanned", "yes\n");
    return plan;
  }
  static Meaning on_result(const QueueRequest& request) {
    if (request.result.text("ending") == "succeeded")
      return request.config.boolean("refuse") ? Meaning::fail : Meaning::done;
    return request.config.boolean("strict") ? Meaning::fail : Meaning::skip;
  }
};

}  // namespace

WEIR_PLUGIN("test-scan", "1", queue<Scan>())
