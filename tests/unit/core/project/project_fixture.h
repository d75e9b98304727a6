// Projects from texts, and a folder that goes away, for the tests of the loader.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include "core/project/diagnostic_text.h"
#include "core/project/load.h"

namespace weir {

inline LoadedProject load_texts(std::string main, std::vector<TextFile> others = {}) {
  others.insert(others.begin(), {"weir.toml", "weir = 1\n" + std::move(main)});
  KnownNames known;
  known.element_kinds = {"script", "import", "stack", "make"};
  known.source_kinds = {"local", "git", "tar", "file", "patch"};
  return load_project_texts(std::move(others), known);
}

inline std::string errors_of(const LoadedProject& loaded) {
  return to_text(loaded.diagnostics, loaded.files);
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "weir-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = *this / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
};

}  // namespace weir
