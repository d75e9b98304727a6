// weir trust: what a project wants to do that needs trust, and the user's word that it may.
#include <fmt/format.h>

#include <memory>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/base/real_path.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/exit_codes.h"
#include "core/cli/person.h"
#include "core/cli/tell.h"
#include "core/cli/trust.h"
#include "core/project/diagnostic_text.h"
#include "core/project/element_files.h"

namespace weir::cli {

namespace {

struct TrustOptions {
  std::string directory;
  bool list = false, revoke = false, json = false;
};

Error no_home() {
  return {Reason::usage, "cannot save trust: no home directory",
          "set HOME or XDG_STATE_HOME, or use --trust for one command"};
}

void print_records(const std::vector<TrustRecord>& records) {
  for (const auto& record : records) {
    weir::print("{}  since {}\n", printable(record.folder), printable(record.since));
    for (const auto& entry : record.entries) weir::print("  {}\n", trust_text(entry.key, entry.subject));
  }
}

void print_records_json(const std::vector<TrustRecord>& records) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("v").value(1).key("folders").begin_array();
  for (const auto& record : records) {
    json.begin_object().key("folder").value(record.folder).key("since").value(record.since);
    json.key("allowed").begin_array();
    for (const auto& entry : record.entries)
      json.begin_object()
          .key("key")
          .value(entry.key)
          .key("subject")
          .value(entry.subject)
          .key("content")
          .value(entry.content)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array().end_object();
  weir::print("{}\n", out);
}

int list_trust(bool as_json) {
  const auto records = TrustRecords::of_user();
  const auto all = records ? records->list() : Result<std::vector<TrustRecord>>();
  if (!all) return tell(all.error());
  (as_json ? print_records_json : print_records)(*all);
  return kDone;
}

// Also of a project that is gone, or cannot be loaded.
int revoke_trust(const std::string& directory) {
  const auto records = TrustRecords::of_user();
  if (!records) return tell(no_home());
  const auto root = real_path(find_project(directory).value_or(directory)).value_or(directory);
  const auto removed = records->remove(root);
  if (!removed) return tell(removed.error());
  if (*removed) weir::print("{} is no longer trusted\n", printable(root));
  else weir::print(stderr, "weir: {} was not trusted\n", printable(root));
  return kDone;
}

// What is not allowed yet is marked; of files the begin of their SHA-256.
std::string all_items(const ProjectTrust& trust, const LoadedProject& loaded) {
  std::string out;
  for (std::size_t i = 0; i < trust.items.size(); ++i) {
    const auto& item = trust.items[i];
    const auto place = to_text(item.place, loaded.files);
    const auto at = std::find_if(trust.untrusted.begin(), trust.untrusted.end(),
                                 [&](const Untrusted& one) { return one.item == i; });
    const auto* state = at == trust.untrusted.end() ? "allowed" : at->has_changed ? "changed" : "new";
    out += fmt::format("  {:<7}  {}{}{}{}\n", state, place, place.empty() ? "" : ": ", to_text(item),
                       item.file.empty() || item.content.empty()
                           ? ""
                           : fmt::format(" (sha256 {})", item.content.substr(0, 16)));
  }
  return out;
}

// With all contents, so that what is shown is what is allowed.
tl::expected<ProjectTrust, int> wanted_by(const LoadedProject& loaded, const Settings& settings) {
  auto trust = examine_trust(loaded, settings, trust_items(loaded, settings, LookOutside::yes));
  for (auto& item : trust.items) {
    if (item.file.empty() || !item.content.empty()) continue;
    auto content = content_of_file(item.file);
    if (!content) return tl::unexpected(tell(content.error()));
    item.content = std::move(*content);
  }
  return trust;
}

tl::expected<void, int> agree(const ProjectTrust& trust, const LoadedProject& loaded) {
  weir::print("{} is asking for your trust, in order to:\n{}", printable(loaded.project.root),
              all_items(trust, loaded));
  std::fflush(stdout);
  if (!person_is_there() || asked_yes("Allow all of this?")) return {};
  weir::print(stderr, "nothing was allowed\n");
  return tl::unexpected(kUsage);
}

int allow_project(const std::string& directory, const Globals& globals) {
  // To say what it wants, its own files are read wherever they are.
  const auto loaded = load_project({.directory = directory}, [](const LoadedProject&) { return true; });
  if (!loaded.ok()) return tell(loaded.diagnostics, loaded.files);
  auto line = command_settings(globals);
  std::erase_if(line, [](const TextSetting& setting) { return setting.name == "trust"; });
  const auto settings = load_settings({&loaded.project, std::move(line), {}}, loaded.files);
  if (!settings.ok()) return tell(settings.diagnostics, settings.files);
  auto trust = wanted_by(loaded, settings.settings);
  if (!trust) return trust.error();
  if (trust->items.empty()) {
    weir::print("{} asks for nothing that needs trust\n", printable(loaded.project.root));
    return kDone;
  }
  if (!trust->of_all && trust->untrusted.empty()) {
    weir::print("{} is trusted already:\n{}", printable(loaded.project.root), all_items(*trust, loaded));
    return kDone;
  }
  if (const auto agreed = agree(*trust, loaded); !agreed) return agreed.error();
  if (const auto granted = grant_trust(*trust, loaded, AllowedBefore::forget); !granted)
    return tell(granted.error());
  weir::print("allowed; `weir trust --revoke` takes it back\n");
  return kDone;
}

int run_trust(const TrustOptions& options, const Globals& globals) {
  if (options.list) return list_trust(options.json);
  if (options.json)
    return tell(Error{Reason::usage, "--json is for --list alone", "weir trust --list --json"});
  const auto& directory = options.directory.empty() ? globals.directory : options.directory;
  return options.revoke ? revoke_trust(directory) : allow_project(directory, globals);
}

}  // namespace

Run add_trust_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<TrustOptions>();
  command.add_word("directory", &options->directory, "DIR", "the project's folder, or one below it");
  command.add_flag("--list", &options->list, "the folders that are trusted, and what each may do");
  command.add_flag("--revoke", &options->revoke, "revoke trust");
  command.add_flag("--json", &options->json, "with --list: as JSON, for programs");
  command.exclude("--list", "--revoke");
  command.explain(
      "Shows what the project wants to do to this machine, and allows it: load its plugins, run its hooks or "
      "commands without a sandbox, read files outside of its folder, push to remotes. At a terminal it asks "
      "first. If one of these changes, weir asks again.\n\n"
      "A project that wants none of this needs no trust.",
      "weir trust\nweir trust --list\nweir trust --revoke ~/src/app\nweir --trust build          # this "
      "once, in CI");
  return [options, &globals] { return run_trust(*options, globals); };
}

}  // namespace weir::cli
