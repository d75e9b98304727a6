// weir doctor: every setting with where it came from, and what is wrong with the project's files, the
// settings or this machine. All of it is the result, so all goes to standard output.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/exit_codes.h"
#include "core/cli/machine_checks.h"
#include "core/cli/remote_checks.h"
#include "core/cli/trust.h"
#include "core/project/diagnostic_text.h"
#include "core/project/element_files.h"
#include "core/project/settings.h"

namespace weir::cli {

namespace {

using Level = Finding::Level;

struct Health {
  std::vector<SettingRow> settings;
  std::vector<Finding> findings;
  bool ok() const {
    return std::none_of(findings.begin(), findings.end(),
                        [](const auto& f) { return f.level == Level::wrong; });
  }
};

void add_all(std::vector<Finding>& findings, std::string_view name, const Diagnostics& diagnostics,
             const SourceFiles& files) {
  for (const auto& diagnostic : diagnostics.all()) {
    const auto place = to_text(diagnostic.place, files);
    findings.push_back(
        {diagnostic.severity == Severity::error ? Level::wrong : Level::warning, std::string(name),
         place.empty() ? diagnostic.message : place + ": " + diagnostic.message, diagnostic.hint});
  }
}

// What is wrong with the project, or that it is fine; nothing is loaded where there is none.
LoadedProject check_project(const std::string& directory, std::vector<Finding>& findings) {
  if (!find_project(directory)) {
    findings.push_back({Level::ok, "project", "there is none here", {}});
    return {};
  }
  auto loaded = load_project({.directory = directory});
  add_all(findings, "project", loaded.diagnostics, loaded.files);
  if (loaded.ok())
    findings.push_back({Level::ok,
                        "project",
                        fmt::format("{} in {}, {} elements", weir::in_quotes(loaded.project.name),
                                    loaded.project.root, loaded.project.elements.size()),
                        {}});
  return loaded;
}

// Remotes that may not be asked are taken out of the settings.
ProjectTrust check_trust(const LoadedProject& loaded, Settings& settings, std::vector<Finding>& findings) {
  if (loaded.project.root.empty()) return {};
  auto trust = examine_trust(loaded, settings);
  if (trust.items.empty()) {
    findings.push_back({Level::ok, "trust", "the project asks for nothing that needs trust", {}});
  } else if (trust.allows(TrustStage::run)) {
    findings.push_back(
        {Level::ok, "trust", trust.of_all ? "the settings trust the project" : "the project is trusted", {}});
  } else {
    findings.push_back(
        {Level::warning, "trust",
         fmt::format("the project is not trusted{}, and it\n{}", trust.was_known ? " as it is now" : "",
                     list_items(trust, loaded, TrustStage::run)),
         "`weir trust` shows and allows it; until then, weir only reads the project"});
    auto& message = findings.back().message;
    message.pop_back();  // the end of the last line
  }
  for (const auto& url : drop_untrusted_remotes(trust, settings))
    findings.push_back({Level::warning,
                        "remote",
                        fmt::format("{} was not asked: the project is not trusted", printable(url)),
                        {}});
  return trust;
}

Health examine(const Globals& globals) {
  Health health;
  const auto loaded = check_project(globals.directory, health.findings);
  SettingsInput input;
  input.command_line = command_settings(globals);
  if (!loaded.project.root.empty()) input.project = &loaded.project;
  const auto settings = load_settings(input, loaded.files);
  add_all(health.findings, "settings", settings.diagnostics, settings.files);
  health.settings = describe(settings.settings);
  for (auto& finding : check_machine(settings.settings)) health.findings.push_back(std::move(finding));
  for (auto& finding : check_credentials(settings.settings)) health.findings.push_back(std::move(finding));
  auto own = settings.settings;
  const auto trust = check_trust(loaded, own, health.findings);
  Kinds kinds =
      trust.allows(TrustStage::open)
          ? Kinds(plugin_path(plugin_folders(loaded.project), loaded.project.root), trusted_libraries(trust))
          : Kinds();
  for (auto& finding : check_remotes({own, loaded.project, loaded.files, kinds}))
    health.findings.push_back(std::move(finding));
  return health;
}

void print_health(const Health& health) {
  std::size_t names = 0, values = 0;
  for (const auto& row : health.settings) {
    names = std::max(names, row.name.size());
    values = std::max(values, printable(row.value).size());
  }
  for (const auto& row : health.settings)
    weir::print("{:<{}}  {:<{}}  {}\n", row.name, names, printable(row.value), values, printable(row.origin));
  weir::print("\n");
  for (const auto& finding : health.findings) {
    weir::print("{:<8} {:<16} {}\n", to_text(finding.level), finding.name, printable_lines(finding.message));
    if (!finding.remedy.empty()) weir::print("{:<25} {}\n", "", printable_lines(finding.remedy));
  }
}

void print_health_json(const Health& health) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("v").value(1).key("ok").value(health.ok()).key("settings").begin_array();
  for (const auto& row : health.settings) {
    json.begin_object().key("name").value(row.name);
    json.key("value").value(row.value).key("origin").value(row.origin).end_object();
  }
  json.end_array().key("checks").begin_array();
  for (const auto& finding : health.findings) {
    json.begin_object().key("level").value(to_text(finding.level)).key("name").value(finding.name);
    json.key("message").value(finding.message).key("remedy").value(finding.remedy).end_object();
  }
  json.end_array().end_object();
  weir::print("{}\n", out);
}

}  // namespace

Run add_doctor_command(Command& command, const Globals& globals) {
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", json.get(), "as JSON, for programs");
  command.explain(
      "Checks the project's files, the settings, this machine, the credentials and the remotes. Exit 1 if "
      "something is "
      "wrong.",
      "weir doctor\nweir doctor --json | jq .ok");
  return [json, &globals] {
    const auto health = examine(globals);
    (*json ? print_health_json : print_health)(health);
    return health.ok() ? kDone : kSomethingWrong;
  };
}

}  // namespace weir::cli
