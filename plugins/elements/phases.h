// What kinds with the usual phases have in common: configure, build and install, each with arguments of its
// own and each replaceable by commands; `test` has commands only. Words of the user are arguments, never text
// for a shell; only commands that replace a phase are run by one.
//
// A kind derives from Phased of itself and has build(request, arguments), install(request, arguments) and, if
// there is something to configure, configure(request, arguments).
#pragma once

#include <weir/element.hpp>

namespace weir::kinds {

using namespace sdk;

// Where out-of-tree builds are, below the build directory.
inline constexpr std::string_view kTree = "_weir_build";

// One command with arguments behind it.
inline Words with(Words words, const Words& arguments) {
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

template <class Kind>
struct Phased {
  static void resolve(ConfigReader& config) {
    for (const std::string phase : {"configure", "build", "install"}) {
      if (phase == "configure" && !has_configure()) continue;
      const auto replaced = config.texts(phase);
      const auto arguments = config.texts(phase + "-args");
      if (!replaced.empty() && !arguments.empty())
        config.complain(phase + "-args",
                        in_quotes(phase + "-args") + " has no meaning beside " + in_quotes(phase),
                        "put them into the commands");
    }
    config.texts_for_later("test");
  }

  static Plan plan(const ElementRequest& request) {
    Plan plan;
    const auto add = [&](const std::string& phase, auto&& usual) {
      const auto replaced = request.config.texts(phase);
      if (replaced.empty()) plan.steps.append(usual(request, request.config.texts(phase + "-args")));
      for (const auto& command : replaced) plan.steps.shell(command);
    };
    if constexpr (has_configure()) add("configure", Kind::configure);
    add("build", Kind::build);
    add("install", Kind::install);
    return plan;
  }

 private:
  static constexpr bool has_configure() {
    return requires { &Kind::configure; };
  }
};

}  // namespace weir::kinds
