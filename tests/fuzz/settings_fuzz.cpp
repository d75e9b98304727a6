// The user's settings file, the environment and the command line. The first part of an input is the file;
// "=== NAME" begins the value of a variable of the environment, "=== --NAME" of an option; "=== token" is the
// secret in ~/t, and "=== project" a weir.toml.
#include "core/project/settings.h"

#include <filesystem>
#include <map>
#include <span>

#include "core/project/diagnostic_text.h"
#include "core/project/load.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/text_parts.h"

namespace weir {

WEIR_FUZZ_TARGET(settings) {
  auto parts = test::parts_of(input);
  const auto home = fuzz::folder() + "/home";
  static const bool made = [&] {
    std::filesystem::create_directories(home + "/weir");
    return true;
  }();
  WEIR_ASSERT(made, "no folder");
  fuzz::write_file(home + "/weir/config.toml", parts.front().text);
  SettingsInput in;
  std::map<std::string, std::string> variables;
  fuzz::remove_file(home + "/t");
  LoadedProject loaded_project;
  for (auto& part : std::span(parts).subspan(1)) {
    if (part.name == "project") {
      loaded_project = load_project_texts({{"weir.toml", part.text}});
      if (loaded_project.ok()) in.project = &loaded_project.project;
      continue;
    }
    if (part.name == "token") fuzz::write_file(home + "/t", part.text);
    part.text = part.text.substr(0, part.text.find('\0'));
    if (part.text.ends_with('\n')) part.text.pop_back();
    if (part.name.starts_with("--")) in.command_line.push_back({part.name.substr(2), part.text, part.name});
    else variables[part.name] = part.text;
  }
  variables["XDG_CONFIG_HOME"] = variables["HOME"] = home;
  in.environment = [&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  };
  const auto loaded = load_settings(in, loaded_project.files);
  const auto text = to_text(loaded.diagnostics, loaded.files);
  WEIR_ASSERT(loaded.ok() || !text.empty(), "an error without words");
  (void)loaded.settings.resource("process");
  WEIR_ASSERT(!describe(loaded.settings).empty(), "nothing to show");
  for (const auto& credential : loaded.settings.credentials) {
    WEIR_ASSERT(credential.token_env.empty() != credential.token_file.empty(), "none or two secrets");
    (void)shown_host(credential);
    if (const auto secret = read_secret(credential))
      WEIR_ASSERT(secret->find('\n') == secret->npos, "a secret that begins another header");
  }
  for (const auto& remote : loaded.settings.remotes.value)
    if (const auto server = server_of(remote.url))
      (void)find_credential(loaded.settings.credentials, *server);
}

}  // namespace weir
