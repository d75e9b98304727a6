#include "core/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <vector>

#include "core/base/log.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/command_words.h"
#include "core/cli/exit_codes.h"

namespace weir::cli {

namespace {

int usage_error(const std::string& message, const std::string& remedy) {
  weir::print(stderr, "weir: {}\n", message);
  if (!remedy.empty()) weir::print(stderr, "  {}\n", remedy);
  return kUsage;
}

std::vector<std::string_view> command_names(const CLI::App& app) {
  static std::vector<std::string> names;
  names.clear();
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  return {names.begin(), names.end()};
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

// CLI11 leaves what it does not know in remaining() of the app that allows extras: an option that does not exist, the
// command that was meant, or a word behind a command that takes no more of them. `app` is as far as it was understood.
int unknown_word(const CLI::App& app, const std::string& word) {
  const auto help = full_name(app) + " --help";
  if (word.size() > 1 && word.front() == '-')
    return usage_error(fmt::format("there is no option \"{}\"", word), "see " + help);
  const auto names = command_names(app);
  if (names.empty()) return usage_error(fmt::format("\"{}\" is one word too many", word), "see " + help);
  const auto near = did_you_mean(word, names);
  return usage_error(fmt::format("there is no command \"{}\"", word),
                     near ? fmt::format("did you mean \"{} {}\"?", full_name(app), *near)
                          : fmt::format("commands: {}; more with {}", fmt::join(names, ", "), help));
}

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// A failed check of CLI11 may quote 300 digits; one line is enough for anybody.
std::string first_line(std::string text) {
  text = text.substr(0, text.find('\n'));
  constexpr std::size_t kMost = 300;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

bool start_log_from_environment() {
  const char* level = std::getenv("WEIR_LOG");
  if (!level || !*level || start_log(level)) return true;
  weir::print(stderr, "weir: WEIR_LOG is \"{}\"; it can be trace, debug, info, warn, error or off\n", level);
  return false;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  if (!start_log_from_environment()) return kUsage;
  CLI::App app("weir builds what a project describes, each thing once.", "weir");
  Globals globals;
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.set_version_flag("--version", fmt::format("weir {}", WEIR_VERSION));
  app.add_option("-C", globals.directory, "work in this folder")->type_name("DIR");
  app.add_flag("-q,--quiet", globals.quiet, "say only what went wrong");
  app.add_flag("-v,--verbose", globals.verbose, "say also what was skipped and what waits");
  app.add_option("--color", globals.color, "when to use colors: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  std::map<const CLI::App*, Run> commands;
  const auto add = [&](std::string name, std::string what, Run (*make)(CLI::App&, const Globals&)) {
    auto* command = app.add_subcommand(std::move(name), std::move(what));
    command->allow_extras(false);  // inherited from the app otherwise
    command->fallthrough();        // -C, -q, -v and --color may stand behind the command
    commands[command] = make(*command, globals);
  };
  add("init", "make a project of what is in a folder, or of a template", add_init_command);
  add("build", "fetch and build elements with all they depend on", add_build_command);
  add("test", "build elements and run their tests", add_test_command);
  add("track", "find out the newest refs of sources and keep them in weir.lock", add_track_command);
  add("fetch", "bring the sources of elements here", add_fetch_command);
  add("pull", "bring artifacts from remotes here", add_pull_command);
  add("push", "give artifacts to remotes", add_push_command);
  add("show", "how elements stand: cached, buildable, waiting, failed", add_show_command);
  add("why", "why an element has to be built, or was built last", add_why_command);
  add("checkout", "write what was built to a folder or an archive", add_checkout_command);
  add("graph", "who depends on whom, as dot, mermaid or JSON", add_graph_command);
  add("runs", "what was run in this project", add_runs_command);
  add("report", "a run as one HTML page, or as a trace", add_report_command);
  add("ctl", "see and change a run that is under way", add_ctl_command);
  add("log", "what the jobs of an element wrote", add_log_command);
  add("shell", "a shell, or a command, where an element is built", add_shell_command);
  add("cache", "see and look after the store", add_cache_command);
  add("sim", "try placement on virtual time: loads, places, lanes, whole clusters", add_sim_command);
  add("plugin", "list, make and check plugins", add_plugin_command);
  add("doctor", "settings with where they come from, and whether this machine is fit", add_doctor_command);

  const auto split = split_command_words(argc, argv);
  globals.words = split.words;
  try {
    app.parse(split.parsed, argv);
  } catch (const CLI::CallForHelp& help) {
    app.exit(help);
    return kDone;
  } catch (const CLI::CallForVersion& version) {
    app.exit(version);
    return kDone;
  } catch (const CLI::ParseError& error) {
    return usage_error(first_line(error.what()), "see weir --help");
  }
  const auto chosen = app.get_subcommands();
  const auto extra = app.remaining();
  const auto& understood = innermost(app);
  if (!extra.empty()) return unknown_word(understood, extra.front());
  if (globals.quiet && globals.verbose) return usage_error("-q and -v do not go together", "");
  if (!command_names(understood).empty()) {
    weir::print(stderr, "{}", app.help());  // of the command that was named
    return kUsage;
  }
  return commands.at(chosen.front())();
}

}  // namespace weir::cli
