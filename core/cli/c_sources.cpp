#include "core/cli/c_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "core/base/shell_word.h"
#include "core/base/utf8.h"
#include "core/cli/found_elements.h"
#include "core/cli/toml_text.h"
#include "core/project/element_files.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

struct CFile {
  std::string name;
  bool has_main = false;
  bool has_math = false;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// `main` and an opening bracket. A comment may deceive it; the build then says so.
bool has_main(std::string_view text) {
  for (auto at = text.find("main"); at != text.npos; at = text.find("main", at + 4)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    const auto next = text.find_first_not_of(" \t", at + 4);
    if (next != text.npos && text[next] == '(') return true;
  }
  return false;
}

std::vector<CFile> c_files(const std::string& folder) {
  std::vector<CFile> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    auto name = entry.path().filename().string();
    if (!name.ends_with(".c") || name.starts_with('.') || !is_utf8(name) || !entry.is_regular_file(ignored))
      continue;
    const auto text = read_file(entry.path().string()).value_or("");
    files.push_back({std::move(name), has_main(text), text.find("<math.h>") != text.npos});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

std::string compile(const std::string& program, const std::string& files, bool math) {
  return fmt::format("cc -O2 -o $WEIR_OUT/bin/{} {}{}", program, files, math ? " -lm" : "");
}

}  // namespace

std::vector<std::string> commands_for_c(const std::string& folder, const std::string& name) {
  const auto files = c_files(folder);
  if (files.empty()) return {};
  const auto programs =
      std::count_if(files.begin(), files.end(), [](const CFile& file) { return file.has_main; });
  const bool math = std::any_of(files.begin(), files.end(), [](const CFile& file) { return file.has_math; });
  if (programs == 0)
    return {"mkdir -p $WEIR_OUT/lib $WEIR_OUT/include", "cc -O2 -c ./*.c",
            fmt::format("ar rcs $WEIR_OUT/lib/lib{}.a ./*.o", name),
            "for header in ./*.h; do [ ! -e \"$header\" ] || cp \"$header\" $WEIR_OUT/include/; done"};
  std::vector<std::string> commands = {"mkdir -p $WEIR_OUT/bin"};
  if (programs == 1) {
    commands.push_back(compile(name, "./*.c", math));
    return commands;
  }
  std::string shared;
  for (const auto& file : files)
    if (!file.has_main) shared += " " + shell_word("./" + file.name);
  for (const auto& file : files) {
    if (!file.has_main) continue;
    const auto program = element_name_of(std::string_view(file.name).substr(0, file.name.size() - 2));
    commands.push_back(compile(program, shell_word("./" + file.name) + shared, math));
  }
  return commands;
}

}  // namespace weir::cli
