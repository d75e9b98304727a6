// A project with a library of its own that is called as if it had the element kind `animal`, and an element
// that uses it.
#pragma once

#include <filesystem>

#include "tests/e2e/run_facts.h"

namespace weir::test {

inline std::string in_zoo(const std::string& animal) { return std::string(WEIR_ZOO) + "/" + animal + ".so"; }

class PluginProject : public TempProject {
 public:
  explicit PluginProject(const std::string& library_name = "element-animal.so",
                         const std::string& kind = "animal")
      : name_(library_name) {
    file("weir.toml",
         "weir = 1\n[project]\nname = \"zoo\"\n[plugins]\npath = [\"plugins\"]\n[element.a]\nkind = \"" +
             kind + "\"\n");
    std::filesystem::create_directories(path() + "/plugins");
  }

  std::string library() const { return path() + "/plugins/" + name_; }
  void use(const std::string& library_file) const { std::filesystem::copy_file(library_file, library()); }
  void write_library(const std::string& bytes) { file("plugins/" + name_, bytes); }

 private:
  std::string name_;
};

}  // namespace weir::test
