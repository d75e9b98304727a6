#include "core/cli/found_elements.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/utf8.h"
#include "core/cli/c_sources.h"
#include "core/cli/run_folder.h"
#include "core/cli/toml_text.h"
#include "core/project/element_files.h"
#include "core/project/read_element.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

// Escaped names become names of files; 255 bytes is what those can have, and others stand beside it.
constexpr std::size_t kLongestEscaped = 150;
// A tree larger than this is not searched to the end for a folder named "build".
constexpr int kMostEntries = 50'000;

struct BuildSystem {
  const char* file;
  const char* kind;
};
// In this order: what has several has the first for its users.
constexpr BuildSystem kSystems[] = {
    {"CMakeLists.txt", "cmake"},   {"meson.build", "meson"}, {"configure", "autotools"},
    {"configure.ac", "autotools"}, {"GNUmakefile", "make"},  {"makefile", "make"},
    {"Makefile", "make"},
};

bool has(const fs::path& folder, const char* name) {
  std::error_code ignored;
  return fs::is_regular_file(folder / name, ignored);
}

// What cmake, meson or configure left.
bool is_output(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_empty(folder, ignored) || has(folder, "CMakeCache.txt") || has(folder, "build.ninja") ||
         has(folder, "config.status") || fs::is_directory(folder / "meson-private", ignored);
}

// Whether leaving out what is named "build", at any depth, would leave out sources.
bool has_sources_in_build(const fs::path& folder) {
  std::error_code error;
  int seen = 0;
  auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator() && ++seen < kMostEntries;
       entry.increment(error)) {
    const auto name = entry->path().filename();
    if (name == ".git") entry.disable_recursion_pending();
    if (name != "build") continue;
    std::error_code ignored;
    if (!entry->is_directory(ignored) || !is_output(entry->path())) return true;
    entry.disable_recursion_pending();
  }
  return false;
}

std::vector<std::string> exclude_of(const fs::path& folder, bool is_project) {
  std::vector<std::string> names = {".git"};
  for (const auto* other : {".hg", ".svn"})
    if (std::error_code ignored; fs::exists(folder / other, ignored)) names.emplace_back(other);
  if (!has_sources_in_build(folder)) names.emplace_back("build");
  // Or every change of the project's description would be one of its sources.
  if (is_project) names.insert(names.end(), {"weir.toml", "weir.lock"});
  return names;
}

bool has_install_rule(const fs::path& makefile) {
  const auto text = "\n" + read_file(makefile.string()).value_or("");
  for (auto at = text.find("\ninstall"); at != text.npos; at = text.find("\ninstall", at + 1)) {
    const auto colon = text.find_first_not_of(" \t", at + 8);
    if (colon != text.npos && text[colon] == ':') return true;
  }
  return false;
}

// Sources have one old time, so what is newer was made by make.
void add_install_commands(FoundElement& element) {
  element.note = "this Makefile has no rule `install`: the programs that it makes are kept";
  element.phase = "install";
  element.commands = {"mkdir -p $WEIR_OUT/bin", "find . -maxdepth 1 -type f -perm -u+x -newer " +
                                                    element.because + " -exec cp {} $WEIR_OUT/bin/ ';'"};
}

bool look_at(const fs::path& folder, FoundElement& element) {
  for (const auto& system : kSystems) {
    if (!has(folder, system.file)) continue;
    element.kind = system.kind;
    element.because = system.file;
    if (element.kind == "make" && !has_install_rule(folder / system.file)) add_install_commands(element);
    return true;
  }
  element.commands = commands_for_c(folder.string(), element.name);
  if (element.commands.empty()) return false;
  element.kind = "script";
  element.phase = "commands";
  element.because = "C files";
  return true;
}

std::vector<fs::path> subfolders(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with('.') || entry.is_symlink(ignored) || !entry.is_directory(ignored)) continue;
    if (name == "build" && is_output(entry.path())) continue;
    all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string unique(const std::string& name, const std::set<std::string>& taken) {
  auto candidate = name;
  for (int i = 2; taken.contains(candidate); ++i) candidate = name + "-" + std::to_string(i);
  return candidate;
}

}  // namespace

FoundElements find_elements(const std::string& folder, const std::string& name) {
  FoundElements found;
  FoundElement whole;
  whole.name = name;
  whole.path = ".";
  if (look_at(folder, whole)) {
    whole.exclude = exclude_of(folder, true);
    found.elements.push_back(std::move(whole));
    return found;
  }
  std::set<std::string> taken;
  for (const auto& path : subfolders(folder)) {
    FoundElement element;
    element.path = path.filename().string();
    element.name = unique(element_name_of(element.path), taken);
    if (!look_at(path, element)) continue;
    if (!is_utf8(element.path)) {
      found.left_out.push_back(element.path);
      continue;
    }
    taken.insert(element.name);
    element.exclude = exclude_of(path, false);
    found.elements.push_back(std::move(element));
  }
  return found;
}

std::string element_name_of(std::string_view text) {
  std::string name;
  for (; !text.empty();) {
    const auto length = std::max<std::size_t>(utf8_sequence_length(text), 1);
    const auto part = text.substr(0, length);
    text.remove_prefix(length);
    const auto longer =
        name + (is_element_name("x" + std::string(part) + "x") && part != "/" ? std::string(part) : "-");
    if (longer.ends_with("--") && part != "-") continue;  // one for several that cannot be written
    if ((name.empty() && (longer == "-" || longer == ".")) || escaped(longer).size() > kLongestEscaped)
      continue;
    name = longer;
  }
  while (name.ends_with('-')) name.pop_back();
  return is_element_name(name) ? name : "element";
}

}  // namespace weir::cli
