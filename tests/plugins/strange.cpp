// strange: a source kind that does what its configuration says, for those that leave something else than they
// should.
#include <stdexcept>

#include <weir/plugin.hpp>

namespace {

using namespace weir::sdk;

struct Strange {
  static constexpr std::string_view kind = "strange";
  static constexpr std::uint32_t version = 1;

  static void resolve(ConfigReader& config) {
    config.required_text("url", "any");
    config.text("tracks", "echo 1 >$1.track");
    config.text("fetches", "mkdir $1");
    config.text("gives", "1");
  }
  static void check_ref(std::string_view) {}
  static Steps plan_track(const SourceRequest& request) {
    return Steps().run({"sh", "-c", request.config.text("tracks"), "track", request.name}, "source");
  }
  static std::string parse_track(const TrackAnswer& answer) {
    if (answer.config.text("gives") == "throw") throw std::runtime_error("lost my way");
    return answer.config.text("gives");
  }
  static Steps plan_fetch(const SourceRequest& request) {
    return Steps().run({"sh", "-c", request.config.text("fetches"), "fetch", request.name});
  }
};

}  // namespace

WEIR_PLUGIN("test-strange", "1", source<Strange>())
