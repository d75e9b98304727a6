// weir cache: stat, gc, verify and rm of the store. A store that nobody has made yet is empty, and is not
// made here.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/base/abandoned_files.h"
#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/exit_codes.h"
#include "core/cli/old_downloads.h"
#include "core/cli/store_folder.h"
#include "core/cli/subcommands.h"
#include "core/cli/tell.h"
#include "core/project/diagnostic.h"
#include "core/store/store.h"

namespace weir::cli {

namespace {

using store::Store;

struct CacheOptions {
  bool json = false;
  std::string quota;
  std::vector<std::string> keys;
};

struct StorePlace {
  std::string folder;
  std::uint64_t quota = 0;
  std::string downloads;
  std::string cache;
};

using Action = int (*)(const CacheOptions& options, const StorePlace& place);

template <class Report, class Call>
Result<Report> ask_store(const std::string& folder, Call call) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder, ignored)) return Report{};
  auto opened = Store::open(folder);
  if (!opened) return tl::unexpected(opened.error());
  return call(**opened);
}

std::string quota_text(std::uint64_t quota) { return quota > 0 ? format_bytes(quota) : "none"; }

JsonWriter begin_json(std::string& out, const StorePlace& place) {
  JsonWriter json(out);
  json.begin_object().key("v").value(1).key("path").value(place.folder);
  return json;
}

void print_row(std::string_view name, std::string_view value) { weir::print("{:<8} {}\n", name, value); }

void print_stat(const store::StoreStat& stat, const StorePlace& place) {
  print_row("path", place.folder);
  print_row("objects", std::to_string(stat.objects));
  print_row("size", format_bytes(stat.bytes));
  print_row("quota", quota_text(place.quota));
  print_row("records", std::to_string(stat.records));
  print_row("aliases", std::to_string(stat.aliases));
  print_row("stages", std::to_string(stat.stages));
  print_row("pins", std::to_string(stat.pins));
}

void print_stat_json(const store::StoreStat& stat, const StorePlace& place) {
  std::string out;
  auto json = begin_json(out, place);
  json.key("objects").value(stat.objects).key("bytes").value(stat.bytes);
  json.key("records").value(stat.records).key("aliases").value(stat.aliases);
  json.key("stages").value(stat.stages).key("pins").value(stat.pins);
  json.key("quota").value(place.quota).end_object();
  weir::print("{}\n", out);
}

int run_stat(const CacheOptions& options, const StorePlace& place) {
  const auto stat = ask_store<store::StoreStat>(place.folder, [](Store& store) { return store.stat(); });
  if (!stat) return tell(stat.error());
  (options.json ? print_stat_json : print_stat)(*stat, place);
  return kDone;
}

void print_gc(const store::GcReport& report, const StorePlace& place) {
  weir::print("removed {} objects ({}), {} records, {} stages\n", report.objects_removed,
              format_bytes(report.bytes_removed), report.records_removed, report.stages_removed);
  weir::print("left {}, quota {}\n", format_bytes(report.bytes_left), quota_text(place.quota));
}

void print_gc_json(const store::GcReport& report, const StorePlace& place) {
  std::string out;
  auto json = begin_json(out, place);
  json.key("quota").value(place.quota);
  json.key("removed").begin_object();
  json.key("objects").value(report.objects_removed).key("bytes").value(report.bytes_removed);
  json.key("records").value(report.records_removed).key("stages").value(report.stages_removed);
  json.end_object().key("left").begin_object().key("bytes").value(report.bytes_left).end_object();
  json.key("pins").value(report.pins_live).end_object();
  weir::print("{}\n", out);
}

int run_gc(const CacheOptions& options, const StorePlace& place) {
  const store::GcRequest request{.quota = place.quota};
  const auto report =
      ask_store<store::GcReport>(place.folder, [&](Store& store) { return store.gc(request); });
  if (!report) return tell(report.error());
  remove_old_downloads(place.downloads);
  for (const auto* folder : {"", "/snapshots", "/remotes"}) remove_abandoned_files(place.cache + folder);
  (options.json ? print_gc_json : print_gc)(*report, place);
  if (place.quota > 0 && report->bytes_left > place.quota)
    weir::print(stderr, "weir: the rest is held by running builds ({}); run gc again when they are over\n",
                report->pins_live);
  return kDone;
}

void print_verify(const store::VerifyReport& report, const StorePlace&) {
  for (const auto& digest : report.damaged) weir::print("damaged object, dropped: {}\n", digest);
  for (const auto& tree : report.damaged_stages) weir::print("damaged stage, dropped: {}\n", tree);
  for (const auto& key : report.broken) weir::print("broken record, dropped: {}\n", key.hex());
  for (const auto& key : report.dependents)
    weir::print("built with a damaged artifact, dropped: {}\n", key.hex());
  weir::print("{}: {} objects ({}), {} records\n", report.clean() ? "clean" : "damage was found and dropped",
              report.objects, format_bytes(report.bytes), report.records);
}

void print_verify_json(const store::VerifyReport& report, const StorePlace& place) {
  std::string out;
  auto json = begin_json(out, place);
  json.key("clean").value(report.clean());
  json.key("objects")
      .value(report.objects)
      .key("bytes")
      .value(report.bytes)
      .key("records")
      .value(report.records);
  json.key("damaged").begin_array();
  for (const auto& digest : report.damaged) json.value(digest);
  json.end_array().key("damaged_stages").begin_array();
  for (const auto& tree : report.damaged_stages) json.value(tree);
  json.end_array().key("broken").begin_array();
  for (const auto& key : report.broken) json.value(key.hex());
  json.end_array().key("dependents").begin_array();
  for (const auto& key : report.dependents) json.value(key.hex());
  json.end_array().key("loose_aliases").value(report.loose_aliases).end_object();
  weir::print("{}\n", out);
}

int run_verify(const CacheOptions& options, const StorePlace& place) {
  const auto report =
      ask_store<store::VerifyReport>(place.folder, [](Store& store) { return store.verify(); });
  if (!report) return tell(report.error());
  (options.json ? print_verify_json : print_verify)(*report, place);
  if (report->clean()) return kDone;
  weir::print(stderr, "weir: what was dropped is built again when it is needed\n");
  return kSomethingWrong;
}

Result<std::vector<store::Key>> parse_keys(const std::vector<std::string>& texts) {
  std::vector<store::Key> keys;
  for (const auto& text : texts) {
    const auto key = store::Key::parse(text);
    if (!key)
      return fail(Reason::usage, fmt::format("{} is no key, nothing was removed", weir::in_quotes(text)),
                  "a key has 64 digits, 0 to 9 and a to f; write all of them");
    keys.push_back(*key);
  }
  return keys;
}

int run_rm(const CacheOptions& options, const StorePlace& place) {
  const auto keys = parse_keys(options.keys);
  if (!keys) return tell(keys.error());
  int exit = kDone;
  for (const auto& key : *keys) {
    const auto removed = ask_store<bool>(place.folder, [&](Store& store) { return store.rm(key); });
    if (!removed) return tell(removed.error());
    if (*removed) {
      weir::print("removed {}\n", key.hex());
    } else {
      weir::print(stderr, "weir: there is nothing with the key {}\n", key.hex());
      exit = kSomethingWrong;
    }
  }
  return exit;
}

// No setting of the store comes from a project, so none is looked for.
int run_action(Action action, const CacheOptions& options, const Globals& globals) {
  SettingsInput input;
  input.command_line = command_settings(globals);
  if (!options.quota.empty())
    input.command_line.push_back({"cache.quota", options.quota, "--quota " + options.quota});
  const auto loaded = load_settings(input, {});
  if (!loaded.ok()) return tell(loaded.diagnostics, loaded.files);
  const auto& settings = loaded.settings;
  return action(options, {store_folder(settings), settings.cache_quota.value,
                          source_cache(settings) + "/downloads", settings.cache_dir.value});
}

}  // namespace

Run add_cache_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<CacheOptions>();
  Subcommands commands(command, globals);
  const auto add = [&](const char* name, const char* what, Action action) {
    return &commands.add(name, what,
                         [options, action, &globals] { return run_action(action, *options, globals); });
  };
  auto* stat = add("stat", "what the store holds", run_stat);
  auto* gc = add(
      "gc", "remove what nothing needs, and what was not used for longest if the quota is exceeded", run_gc);
  auto* verify = add("verify", "check all content by its digest and drop what is damaged", run_verify);
  auto* rm = add("rm", "forget what is stored under a key; its content goes with the next gc", run_rm);
  for (auto* with_json : {stat, gc, verify})
    with_json->add_flag("--json", &options->json, "as JSON, for programs");
  gc->add_option("--quota", &options->quota, "SIZE",
                 "instead of the setting cache.quota: 20G; 0 is no limit");
  rm->add_word("key", &options->keys, "KEY", "whole keys, 64 digits each").required();
  command.explain(
      "The store is of this user and machine, and all projects share it. Where it is: weir doctor.",
      "weir cache stat\nweir cache gc --quota 20G");
  return commands.chosen();
}

}  // namespace weir::cli
