#include "core/cli/plugin_new.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/base/shell_word.h"
#include "core/cli/exit_codes.h"
#include "core/cli/plugin_templates.h"
#include "core/cli/tell.h"
#include "plugins/host/plugin_path.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTypes = "element, source, queue, remote, allocator or placer";

Result<PluginType> type_of(const std::string& name) {
  if (name.empty())
    return fail(Reason::usage, "--type is missing: a plugin is of one type",
                fmt::format("say --type {}", kTypes));
  const auto* type = std::find_if(std::begin(kPluginTypes), std::end(kPluginTypes),
                                  [&](PluginType one) { return to_string(one) == name; });
  if (type == std::end(kPluginTypes))
    return fail(Reason::usage, fmt::format("there is no type {} of plugins", weir::in_quotes(name)),
                fmt::format("say --type {}", kTypes));
  return *type;
}

Status check_kind_name(const std::string& name) {
  const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (name.empty() || name.front() == '-' || !std::all_of(name.begin(), name.end(), good))
    return fail(Reason::usage, fmt::format("{} is no name for a kind", weir::in_quotes(name)),
                "names have a-z, 0-9 and -, and begin with no -");
  if (name.size() > WEIR_LONGEST_NAME)
    return fail(Reason::usage, fmt::format("the name has {} letters", name.size()),
                fmt::format("up to {} are possible", WEIR_LONGEST_NAME));
  return {};
}

// They could not be used: what is weir's own cannot be replaced.
Status check_free(PluginType type, const std::string& name) {
  constexpr std::string_view kQueues[] = {"track", "pull", "fetch", "build", "push"};
  const auto libraries = list_libraries(plugin_path({}, {}));
  const bool own_kind = std::any_of(libraries.begin(), libraries.end(), [&](const FoundLibrary& one) {
    return one.origin == PluginPlace::Origin::weir && one.name == library_name(type, name);
  });
  const bool own_queue = type == PluginType::queue &&
                         std::find(std::begin(kQueues), std::end(kQueues), name) != std::end(kQueues);
  if (!own_kind && !own_queue) return {};
  return fail(Reason::usage,
              fmt::format("weir has its own {} {}, which cannot be replaced", to_string(type), name),
              "choose another name");
}

Status check_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) return {};
  if (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored)) return {};
  return fail(Reason::usage, fmt::format("{} is in the way; nothing was changed", printable(folder.string())),
              "weir overwrites nothing here: choose another name, or another folder with -C");
}

void say(const fs::path& folder, const std::vector<NewFile>& files) {
  for (const auto& file : files) weir::print("wrote {}\n", printable((folder / file.path).string()));
  const auto source = shell_word(folder.string()), build = shell_word((folder / "build").string());
  weir::print("next: cmake -S {} -B {} && cmake --build {} && ctest --test-dir {}\n", printable(source),
              printable(build), printable(build), printable(build));
}

Result<std::vector<NewFile>> files_for(const PluginNewOptions& options) {
  const auto type = type_of(options.type);
  if (!type) return tl::unexpected(type.error());
  if (auto good = check_kind_name(options.name); !good) return tl::unexpected(good.error());
  if (auto good = check_free(*type, options.name); !good) return tl::unexpected(good.error());
  return plugin_files(*type, options.name);
}

}  // namespace

int new_plugin(const PluginNewOptions& options, const Globals& globals) {
  const auto files = files_for(options);
  if (!files) return tell(files.error());
  const auto folder = (fs::path(globals.directory) / options.name).lexically_normal();
  if (auto free = check_folder(folder); !free) return tell(free.error());
  if (auto written = write_new_files(folder.string(), *files); !written) return tell(written.error());
  if (!globals.quiet) say(folder, *files);
  return kDone;
}

}  // namespace weir::cli
