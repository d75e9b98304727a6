#include "core/project/settings.h"

#include <fmt/format.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "core/base/home_folder.h"
#include "core/base/owned_path.h"
#include "core/base/real_path.h"
#include "core/base/text.h"
#include "core/project/cache_folder.h"
#include "core/project/diagnostic_text.h"
#include "core/project/setting_texts.h"
#include "core/project/toml_parse.h"

namespace weir {

namespace {

using Layer = Origin::Layer;

struct EnvironmentName {
  const char* variable;
  const char* setting;
};
constexpr EnvironmentName kEnvironment[] = {
    {"WEIR_CACHE_DIR", "cache.dir"},
    {"WEIR_CACHE_QUOTA", "cache.quota"},
    {"WEIR_CACHE_SHARED", "cache.shared"},
    {"WEIR_JOBS_MAX", "resources.process"},
    {"WEIR_REMOTE", "remotes"},
    {"WEIR_ON_ERROR", "on-error"},
    {"WEIR_SANDBOX", "sandbox"},
    {"WEIR_REQUESTOR", "requestor"},
    {"WEIR_COLOR", "ui.color"},
    {"WEIR_UI", "ui.mode"},
    {"WEIR_TRUST", "trust"},
};

class SettingsLoader {
 public:
  SettingsLoader(const SettingsInput& input, const SourceFiles& project_files)
      : input_(input), project_files_(project_files) {}

  LoadedSettings run() {
    built_in();
    user();
    if (input_.project != nullptr) project(*input_.project);
    for (const auto& [variable, setting] : kEnvironment)
      if (const auto* value = environment(variable); value != nullptr && *value != '\0')
        apply({setting, value, variable}, Layer::environment);
    for (const auto& setting : input_.command_line) apply(setting, Layer::command_line);
    check_cache();
    return std::move(out_);
  }

 private:
  const char* environment(const char* name) const {
    return input_.environment ? input_.environment(name) : getenv(name);
  }
  // XDG: a relative path in these variables is to be ignored.
  // Empty without a home.
  std::string base_folder(const char* variable, const char* below_home) {
    const auto* given = environment(variable);
    if (given != nullptr && *given == '/') return given;
    return home().empty() ? std::string() : fmt::format("{}/{}", home(), below_home);
  }
  const std::string& home() {
    if (!home_) home_ = home_folder(environment("HOME"));
    return *home_;
  }
  std::string user_name() const {
    for (const auto* variable : {"USER", "LOGNAME"})
      if (const auto* name = environment(variable); name != nullptr && *name != '\0') return name;
    const auto* entry = getpwuid(getuid());
    return entry != nullptr ? entry->pw_name : std::to_string(getuid());
  }

  void built_in() {
    auto& s = out_.settings;
    if (const auto folder = base_folder("XDG_CACHE_HOME", ".cache"); !folder.empty())
      s.cache_dir.value = folder + "/weir";
    s.cache_quota.value = 0;
    s.cache_shared.value = false;
    s.requestor.value = user_name();
    s.on_error.value = OnError::quit;
    s.sandbox.value = SandboxRoot::host;
    s.color.value = Color::automatic;
    s.ui.value = UiMode::automatic;
    if (const auto* no_color = environment("NO_COLOR"); no_color != nullptr && *no_color != '\0')
      s.color = {Color::never, {Layer::environment, "NO_COLOR"}};
    for (auto& resource : default_resources()) s.resources.push_back({resource.name, {resource.amount, {}}});
  }

  // A folder below HOME is made, but a home is not: it is wrong, or on a disk that is not there yet.
  void check_cache() {
    const auto& cache = out_.settings.cache_dir;
    if (cache.value.empty())
      return out_.diagnostics.error(
          {},
          fmt::format("there is no folder for the cache: HOME is not set, and user {} has no home",
                      geteuid()),
          "set HOME, cache.dir or WEIR_CACHE_DIR");
    if (!input_.check_folders) return;
    const auto found = check_cache_folder(out_.settings);
    if (!found) return out_.diagnostics.error({}, found.error().message, found.error().remedy);
    if (*found || cache.origin.layer != Layer::built_in || environment_is_absolute("XDG_CACHE_HOME") ||
        access(home().c_str(), F_OK) == 0 || errno != ENOENT)
      return;
    out_.diagnostics.error({}, fmt::format("the home folder {} does not exist", home()),
                           "set HOME to a folder that exists, or set cache.dir or WEIR_CACHE_DIR");
  }
  bool environment_is_absolute(const char* variable) const {
    const auto* value = environment(variable);
    return value != nullptr && *value == '/';
  }

  // It decides on credentials: nobody else may have written it.
  bool is_own_file(const std::string& path, FileId file) {
    const auto place = resolve_path(path, Way::owned);
    auto good = place ? Status() : tl::unexpected(place.error());
    if (place && place->found && S_ISREG(place->info.st_mode)) good = check_owned_file(place->info, path);
    if (good || good.error().reason != Reason::usage) return true;
    out_.diagnostics.error(
        {file, 0, 0}, "is not safe to use: " + good.error().message,
        good.error().remedy.empty()
            ? "set HOME or XDG_CONFIG_HOME to a folder of your own"
            : good.error().remedy + ", or set HOME or XDG_CONFIG_HOME to a folder of your own");
    return false;
  }

  void user() {
    const auto folder = base_folder("XDG_CONFIG_HOME", ".config");
    const auto path = folder + "/weir/config.toml";
    if (folder.empty() || access(path.c_str(), F_OK) != 0) return;
    const auto file = out_.files.add(path);
    if (!is_own_file(path, file)) return;
    auto text = read_file(path);
    if (!text) return out_.diagnostics.error({file, 0, 0}, text.error().message, text.error().remedy);
    out_.files[file].text = std::move(*text);
    auto document = parse_toml(out_.files[file].text, file, out_.diagnostics);
    if (document) user_document(*document, {path.substr(0, path.rfind('/')), home()});
  }

  void user_document(TomlValue& document, const SettingsFolders& folders) {
    TableReader reader(document, "config.toml", out_.diagnostics);
    user_section(reader, "cache", {"dir", "quota"}, {"shared"});
    user_section(reader, "ui", {"color", "mode"});
    for (const auto* key : {"on-error", "sandbox", "requestor"}) user_text(reader, key, key);
    std::vector<Resource> resources;
    read_resources(reader, "resources", resources);
    for (const auto& resource : resources) set_resource(resource, Layer::user, out_.files);
    std::vector<Remote> remotes;
    read_remotes(reader, "remotes", remotes);
    for (auto& remote : remotes)
      if (!remote.ca.empty()) remote.ca = absolute_path(folders, remote.ca);
    set_remotes(std::move(remotes), Layer::user, out_.files);
    read_credentials(reader, folders, out_.files, out_.settings.credentials);
    trusted_folders(reader, folders);
    reader.finish();
  }
  // One that is not there trusts nothing.
  void trusted_folders(TableReader& reader, const SettingsFolders& folders) {
    auto* table = reader.take_table("trust");
    if (table == nullptr) return;
    TableReader inner(*table, "[trust]", out_.diagnostics);
    std::vector<std::string> paths;
    inner.texts("folders", paths);
    inner.finish();
    for (const auto& path : paths)
      if (auto real = real_path(absolute_path(folders, path)))
        out_.settings.trusted_folders.push_back(std::move(*real));
  }
  void user_section(TableReader& reader, std::string_view section, std::initializer_list<const char*> keys,
                    std::initializer_list<const char*> flags = {}) {
    auto* table = reader.take_table(section);
    if (table == nullptr) return;
    TableReader inner(*table, fmt::format("[{}]", section), out_.diagnostics);
    for (const auto* key : keys) user_text(inner, key, fmt::format("{}.{}", section, key));
    for (const auto* key : flags) user_flag(inner, key, fmt::format("{}.{}", section, key));
    inner.finish();
  }
  void user_flag(TableReader& reader, std::string_view key, const std::string& name) {
    const auto* value = reader.take(key);
    if (value == nullptr) return;
    if (value->boolean() == nullptr) return reader.wrong_type(key, *value, "true or false");
    (void)set_text(out_.settings, name, *value->boolean() ? "true" : "false",
                   {Layer::user, to_text(value->place, out_.files)});
  }
  void user_text(TableReader& reader, std::string_view key, const std::string& name) {
    const auto* value = reader.take(key);
    if (value == nullptr) return;
    if (value->text() == nullptr && value->integer() == nullptr)
      return reader.wrong_type(key, *value, "a string");
    const auto text = value->text() ? *value->text() : std::to_string(*value->integer());
    if (auto wrong = set_text(out_.settings, name, text, {Layer::user, to_text(value->place, out_.files)}))
      out_.diagnostics.error(value->place, std::move(wrong->message), std::move(wrong->remedy));
  }

  void project(const Project& project) {
    auto& s = out_.settings;
    // A line means that the file says it, and is not just the default.
    if (project.on_error_place.line != 0)
      s.on_error = {project.on_error, {Layer::project, to_text(project.on_error_place, project_files_)}};
    if (project.sandbox.root_place.line != 0)
      s.sandbox = {project.sandbox.root,
                   {Layer::project, to_text(project.sandbox.root_place, project_files_)}};
    for (const auto& resource : project.resources)
      if (resource.place.line != 0) set_resource(resource, Layer::project, project_files_);
    set_remotes(project.remotes, Layer::project, project_files_);
  }

  void set_resource(const Resource& resource, Layer layer, const SourceFiles& files) {
    set_amount(out_.settings, resource.name, resource.amount, {layer, to_text(resource.place, files)});
  }
  void set_remotes(std::vector<Remote> remotes, Layer layer, const SourceFiles& files) {
    if (remotes.empty()) return;
    const auto place = to_text(remotes.front().place, files);
    out_.settings.remotes = {std::move(remotes), {layer, place}};
  }

  void apply(const TextSetting& setting, Layer layer) {
    auto wrong = set_text(out_.settings, setting.name, setting.value, {layer, setting.shown});
    if (wrong)
      out_.diagnostics.error({}, fmt::format("{}: {}", setting.shown, wrong->message),
                             std::move(wrong->remedy));
  }

  std::optional<std::string> home_;
  const SettingsInput& input_;
  const SourceFiles& project_files_;
  LoadedSettings out_;
};

}  // namespace

const Setting<Amount>* Settings::resource(std::string_view name) const {
  for (const auto& [own, setting] : resources)
    if (own == name) return &setting;
  return nullptr;
}

LoadedSettings load_settings(const SettingsInput& input, const SourceFiles& project_files) {
  return SettingsLoader(input, project_files).run();
}

}  // namespace weir
