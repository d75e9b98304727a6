// Settings of a person, a machine and a run, each with where it came from (`weir doctor` shows both).
//
// Command line over environment over project over user ($XDG_CONFIG_HOME/weir/config.toml) over built in.
// Environment and command line are texts for the same table of names, so both take and refuse the same
// things:
//
//   auto settings = load_settings({loaded.project, loaded.files, {{"resources.process", "4", "-j 4"}}});
//
//   name                 environment         user file
//   cache.dir            WEIR_CACHE_DIR      [cache] dir
//   cache.quota          WEIR_CACHE_QUOTA    [cache] quota
//   cache.shared         WEIR_CACHE_SHARED   [cache] shared
//   resources.process    WEIR_JOBS_MAX       [resources] process      (and all other resources)
//   remotes              WEIR_REMOTE         [[remotes]] as [[remote]] of weir.toml; "none" or empty: no
//   remote on-error             WEIR_ON_ERROR       on-error sandbox              WEIR_SANDBOX        sandbox
//   requestor            WEIR_REQUESTOR      requestor
//   ui.color             WEIR_COLOR          [ui] color
//   ui.mode              WEIR_UI             [ui] mode
//   (credentials)                            [[credential]] (credentials.h)
//   trust                WEIR_TRUST          [trust] folders: everything below them (docs/trust.md)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/credentials.h"
#include "core/project/load.h"
#include "core/project/project.h"

namespace weir {

struct Origin {
  enum class Layer : std::uint8_t { built_in, user, project, environment, command_line };
  Layer layer = Layer::built_in;
  std::string detail;  // "weir.toml:3:1", "WEIR_CACHE_DIR", "-j 4"
};
std::string to_text(const Origin& origin);  // "environment (WEIR_CACHE_DIR)"

template <class T>
struct Setting {
  T value{};
  Origin origin{};
};

enum class Color : std::uint8_t { automatic, always, never };
enum class UiMode : std::uint8_t { automatic, terminal, plain };

struct Settings {
  Setting<std::string> cache_dir;        // absolute
  Setting<std::uint64_t> cache_quota;    // bytes; 0: none
  Setting<bool> cache_shared;            // with users that are trusted (cache_folder.h)
  Setting<std::vector<Remote>> remotes;  // of the highest layer that names any
  std::vector<std::pair<std::string, Setting<Amount>>> resources;  // sorted by name
  Setting<OnError> on_error;
  Setting<SandboxRoot> sandbox;
  Setting<std::string> requestor;
  Setting<Color> color;
  Setting<UiMode> ui;
  std::vector<Credential> credentials;  // of the user alone
  // Whether a project may do whatever it wants to. Never of the project's file.
  Setting<bool> trust;
  std::vector<std::string> trusted_folders;  // absolute, without links; where `trust` is not said

  const Setting<Amount>* resource(std::string_view name) const;
};

// One value of the environment or the command line.
struct TextSetting {
  std::string name;   // "resources.process"
  std::string value;  // "4"
  std::string shown;  // "-j 4": how the user wrote it
};

struct SettingsInput {
  const Project* project = nullptr;  // none: outside of a project
  std::vector<TextSetting> command_line;
  // Injected for tests; the process's own by default.
  std::function<const char*(const char*)> environment;
  bool check_folders = true;  // false: they were checked by an earlier call
};

struct LoadedSettings {
  Settings settings;
  SourceFiles files;        // the user's file
  Diagnostics diagnostics;  // bad values of any layer; the layer below then holds
  bool ok() const { return !diagnostics.has_errors(); }
};

// `project_files` give the places of the project's values their names.
LoadedSettings load_settings(const SettingsInput& input, const SourceFiles& project_files);

struct SettingRow {
  std::string name, value, origin;
};
std::vector<SettingRow> describe(const Settings& settings);

}  // namespace weir
