#include "core/project/settings.h"

#include <fmt/format.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
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
    return std::move(out_);
  }

 private:
  const char* environment(const char* name) const {
    return input_.environment ? input_.environment(name) : getenv(name);
  }
  // XDG: a relative path in these variables is to be ignored.
  std::string base_folder(const char* variable, const char* below_home) const {
    const auto* given = environment(variable);
    if (given != nullptr && *given == '/') return given;
    return fmt::format("{}/{}", home(), below_home);
  }
  std::string home() const {
    const auto* home = environment("HOME");
    return home != nullptr && *home == '/' ? home : "/tmp";
  }
  std::string user_name() const {
    for (const auto* variable : {"USER", "LOGNAME"})
      if (const auto* name = environment(variable); name != nullptr && *name != '\0') return name;
    const auto* entry = getpwuid(getuid());
    return entry != nullptr ? entry->pw_name : std::to_string(getuid());
  }

  void built_in() {
    auto& s = out_.settings;
    s.cache_dir.value = base_folder("XDG_CACHE_HOME", ".cache") + "/weir";
    s.cache_quota.value = 0;
    s.requestor.value = user_name();
    s.on_error.value = OnError::quit;
    s.sandbox.value = SandboxRoot::host;
    s.color.value = Color::automatic;
    s.ui.value = UiMode::automatic;
    if (const auto* no_color = environment("NO_COLOR"); no_color != nullptr && *no_color != '\0')
      s.color = {Color::never, {Layer::environment, "NO_COLOR"}};
    for (auto& resource : default_resources()) s.resources.push_back({resource.name, {resource.amount, {}}});
  }

  // Without a home the folder would be one that everybody can write to, and settings decide on secrets.
  bool has_settings_folder() const {
    const auto is_absolute = [&](const char* variable) {
      const auto* value = environment(variable);
      return value != nullptr && *value == '/';
    };
    return is_absolute("XDG_CONFIG_HOME") || is_absolute("HOME");
  }

  void user() {
    if (!has_settings_folder()) return;
    const auto path = base_folder("XDG_CONFIG_HOME", ".config") + "/weir/config.toml";
    if (access(path.c_str(), F_OK) != 0) return;
    const auto file = out_.files.add(path);
    std::string why_not;
    auto text = read_file(path, why_not);
    if (!text) return out_.diagnostics.error({file, 0, 0}, "cannot be read: " + why_not);
    out_.files[file].text = std::move(*text);
    auto document = parse_toml(out_.files[file].text, file, out_.diagnostics);
    if (document) user_document(*document, {path.substr(0, path.rfind('/')), home()});
  }

  void user_document(TomlValue& document, const SettingsFolders& folders) {
    TableReader reader(document, "config.toml", out_.diagnostics);
    user_section(reader, "cache", {"dir", "quota"});
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
  void user_section(TableReader& reader, std::string_view section, std::initializer_list<const char*> keys) {
    auto* table = reader.take_table(section);
    if (table == nullptr) return;
    TableReader inner(*table, fmt::format("[{}]", section), out_.diagnostics);
    for (const auto* key : keys) user_text(inner, key, fmt::format("{}.{}", section, key));
    inner.finish();
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
