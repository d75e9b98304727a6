#include "plugins/elements/phases.h"

#include "plugins/sdk/config_reader.h"

namespace weir {

namespace {

void append_commands(std::vector<Step>& steps, const Words& commands) {
  for (const auto& command : commands) steps.push_back(run({"sh", "-e", "-c", command}));
}

}  // namespace

Step run(Words words, const Words& arguments, std::string directory) {
  words.insert(words.end(), arguments.begin(), arguments.end());
  return RunStep{std::move(words), std::move(directory)};
}

ResolvedConfig PhasedKind::resolve(std::string_view config) const {
  ConfigReader reader(config);
  for (const auto* phase : {"configure", "build", "install"}) {
    if (std::string_view(phase) == "configure" && !has_configure()) continue;
    const auto replaced = reader.texts(phase);
    const auto arguments = reader.texts(std::string(phase) + "-args");
    if (!replaced.empty() && !arguments.empty())
      reader.complain(std::string(phase) + "-args", std::string("\"") + phase + "-args\" has no meaning beside \"" + phase + "\"",
                      "put them into the commands");
  }
  reader.texts("test");
  return reader.finish();
}

Result<ElementPlan> PhasedKind::plan(std::string_view resolved, const ElementPlaces& places) const {
  ElementPlan plan;
  const auto add = [&](const std::string& phase, auto&& usual) {
    const auto replaced = texts_in(resolved, phase);
    if (!replaced.empty()) return append_commands(plan.steps, replaced);
    for (auto& step : usual(texts_in(resolved, phase + "-args"))) plan.steps.push_back(std::move(step));
  };
  add("configure", [&](const Words& arguments) { return configure(places, arguments); });
  add("build", [&](const Words& arguments) { return build(places, arguments); });
  add("install", [&](const Words& arguments) { return install(places, arguments); });
  return plan;
}

}  // namespace weir
