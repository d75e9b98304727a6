// test: runs the commands that an element has as `test`, where its sources are and what was built is in
// place. Stands behind `build` and before `push`, so that what does not work is not shared.
#include <weir/queue.hpp>

namespace weir::kinds {

using namespace sdk;

struct Test {
  static constexpr std::string_view kind = "test";
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t flags = WEIR_QUEUE_SOURCES;

  static Classified classify(const QueueRequest& request) {
    return commands(request).empty() ? skip("it has no test commands") : ready();
  }
  static Plan plan(const QueueRequest& request) {
    Plan plan;
    for (const auto& command : commands(request)) plan.steps.shell(command);
    return plan;
  }

 private:
  static std::vector<std::string> commands(const QueueRequest& request) {
    const auto* later = request.element.find("later");
    return later ? later->texts("test") : std::vector<std::string>();
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::queue<weir::kinds::Test>())
