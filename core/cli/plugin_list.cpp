#include "core/cli/plugin_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/cli/command_settings.h"
#include "core/cli/exit_codes.h"
#include "core/cli/tell.h"
#include "core/cli/trust.h"
#include "core/project/element_files.h"
#include "core/project/load.h"
#include "plugins/host/adapter.h"
#include "plugins/host/examined_library.h"

namespace weir::cli {

namespace {

using PluginOrigin = PluginPlace::Origin;

constexpr auto kListTimeout = std::chrono::seconds(5);

// What is said of a library beside itself.
class Neighbours {
 public:
  Neighbours(const PluginPath& path, const std::vector<FoundLibrary>& all) : path_(path), all_(all) {}

  // Why weir would not take this library for what its name says; empty if it would.
  std::string hidden(const FoundLibrary& library) const {
    const auto same = [&](const FoundLibrary& other) { return other.name == library.name; };
    const auto first = std::find_if(all_.begin(), all_.end(), same);
    if (first->file != library.file) return "hidden by " + first->file;
    const auto own = std::find_if(all_.begin(), all_.end(), [&](const auto& other) {
      return same(other) && other.origin == PluginOrigin::weir;
    });
    if (own != all_.end() && own->file != library.file)
      return "the kind is weir's own and cannot be replaced; give it another name";
    return {};
  }
  // Those that the path names one by one may be called anything.
  bool is_named_itself(const FoundLibrary& library) const {
    return std::any_of(path_.begin(), path_.end(),
                       [&](const auto& place) { return place.is_file() && place.path == library.file; });
  }

 private:
  const PluginPath& path_;
  const std::vector<FoundLibrary>& all_;
};

std::string why_not(const FoundLibrary& library, const ExaminedLibrary& examined, const ExaminedKind& kind,
                    const Neighbours& neighbours) {
  const auto right_name = library_name(kind.type, kind.kind);
  if (examined.name == kOwnPlugin && library.origin != PluginOrigin::weir)
    return "only weir's own are called \"weir\"; give it a name of its own";
  if (library.name != right_name && !neighbours.is_named_itself(library))
    return fmt::format("it is not found by the name of this file; call it, or a link to it, {}", right_name);
  return library.name == right_name ? neighbours.hidden(library) : std::string();
}

// "the plugin FILE: " stands in the column of the file already.
std::string without_file(const std::string& message, const std::string& file) {
  const auto head = "the plugin " + file;
  if (!message.starts_with(head)) return message;
  const auto colon = message.find(": ", head.size());
  return colon == message.npos ? message : message.substr(colon + 2);
}

void print_kinds(const std::vector<ListedKind>& all) {
  using KindRow = std::array<std::string, 6>;
  std::vector<KindRow> rows{{"KIND", "VERSION", "PLUGIN", "ABI", "ORIGIN", "FILE"}};
  for (const auto& one : all)
    rows.push_back(one.kind.empty() ? KindRow{"?", "", "", "", std::string(to_string(one.origin)), one.file}
                                    : KindRow{one.type + " " + one.kind, std::to_string(one.version),
                                              one.plugin + " " + one.plugin_version, one.abi,
                                              std::string(to_string(one.origin)), one.file});
  std::array<std::size_t, 6> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column)
      line += fmt::format("{:<{}}  ", printable(rows[i][column]), widths[column]);
    if (i > 0 && !all[i - 1].why_not.empty()) line += "cannot be used: " + printable(all[i - 1].why_not);
    line.erase(line.find_last_not_of(' ') + 1);
    weir::print("{}\n", line);
  }
}

void print_kinds_json(const std::vector<ListedKind>& all) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("v").value(1).key("kinds").begin_array();
  for (const auto& one : all) {
    json.begin_object().key("type").value(one.type).key("kind").value(one.kind).key("version").value(
        one.version);
    json.key("plugin")
        .value(one.plugin)
        .key("plugin_version")
        .value(one.plugin_version)
        .key("abi")
        .value(one.abi);
    json.key("file").value(one.file).key("origin").value(to_string(one.origin));
    json.key("usable").value(one.why_not.empty()).key("why_not").value(one.why_not).end_object();
  }
  json.end_array().end_object();
  weir::print("{}\n", out);
}

}  // namespace

std::vector<ListedKind> list_kinds(const PluginPath& path, const Kinds::OpenLibrary& open_of_project) {
  std::vector<ListedKind> all;
  const auto libraries = list_libraries(path);
  const Neighbours neighbours(path, libraries);
  for (const auto& library : libraries) {
    const bool of_project = library.origin == PluginOrigin::project && open_of_project;
    const auto from = of_project ? open_of_project(library.file) : Result<std::string>();
    const auto examined = from ? examine_library(library.file, plugin_patience(kListTimeout), *from)
                               : Result<ExaminedLibrary>(tl::unexpected(from.error()));
    if (!examined) {
      all.push_back({{},
                     {},
                     0,
                     {},
                     {},
                     {},
                     library.file,
                     library.origin,
                     without_file(examined.error().message, library.file)});
      continue;
    }
    for (const auto& kind : examined->kinds)
      all.push_back({std::string(to_string(kind.type)), kind.kind, kind.version, examined->name,
                     examined->version, examined->abi, library.file, library.origin,
                     why_not(library, *examined, kind, neighbours)});
    for (const auto& type : examined->unknown)
      all.push_back({type, "?", 0, examined->name, examined->version, examined->abi, library.file,
                     library.origin, "this weir does not know the type"});
  }
  return all;
}

// Libraries of a project that is not trusted are listed, and not looked into.
int run_plugin_list(const Globals& globals, bool json) {
  PluginPath path = plugin_path({}, {});
  Kinds::OpenLibrary open_of_project;
  if (find_project(globals.directory)) {
    const auto loaded = load_project({.directory = globals.directory});
    const auto settings = load_settings({nullptr, command_settings(globals), {}}, {});
    if (!settings.ok()) return tell(settings.diagnostics, settings.files);
    const auto trust = examine_trust(loaded, settings.settings);
    path = plugin_path(plugin_folders(loaded.project), loaded.project.root);
    if (!trust.allows(TrustStage::open))
      open_of_project = [](const std::string&) -> Result<std::string> {
        return fail(Reason::project, "the project is not trusted; `weir trust` shows and allows it");
      };
    else open_of_project = trusted_libraries(trust);
  }
  const auto all = list_kinds(path, open_of_project);
  (json ? print_kinds_json : print_kinds)(all);
  return kDone;
}

}  // namespace weir::cli
