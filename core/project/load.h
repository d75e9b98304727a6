// A folder to a project:
//
//   auto loaded = load_project({.directory = "."});
//   if (!loaded.ok()) std::cerr << to_text(loaded.diagnostics, loaded.files);      // exit 2, nothing is run
//
// weir.toml is searched for in the folder and then upwards, as git does. Element files are read and parsed in
// parallel. All independent errors of all files come back at once; a file with a syntax error does not hide
// those of others. Never throws and never crashes, whatever the bytes (tests/fuzz).
//
// Room that is left: includes and options are more documents merged before read_project; a junction is a
// Project whose elements get a prefix before link_elements; a workspace replaces sources of an Element after
// loading.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/project/diagnostic.h"
#include "core/project/element_files.h"
#include "core/project/project.h"
#include "core/project/project_folder.h"
#include "core/project/read_project.h"

namespace weir {

// What is wrong in weir.lock is an error, but for those who write it again.
enum class LockErrors : std::uint8_t { errors, warnings };

struct LoadOptions {
  std::string directory = ".";
  bool search_upwards = true;
  unsigned threads = 0;  // 0: as many as there are cores
  LockErrors lock_errors = LockErrors::errors;
  Outside outside = {};
};

// A file of the project, or its folder of elements, that is a link to elsewhere and was not read.
struct OutsideFile {
  std::string path;  // below the root
  std::string leads_to;
  Place place;
};

struct LoadedProject {
  Project project;
  SourceFiles files;
  Diagnostics diagnostics;            // sorted; may hold warnings when ok()
  std::vector<ListedFolder> folders;  // of element files
  std::vector<OutsideFile> outside;   // each is an error among the diagnostics, too
  LockErrors lock_errors = LockErrors::errors;
  std::int64_t taken_ns = 0;  // the wall time before the first file was looked at
  bool ok() const { return !diagnostics.has_errors(); }
};

LoadedProject load_project(const LoadOptions& options);
// Again and again, as long as there are more files outside that `allow` allows: those that were read may name
// others. All of them are in `outside` of the result.
LoadedProject load_project(LoadOptions options, const std::function<bool(const LoadedProject&)>& allow);
void add_outside(OutsideFile file, LoadedProject& loaded);

// The same without a disk: for tests, the fuzzer and `weir init`.
struct TextFile {
  std::string path;
  std::string text;
};
// Files other than weir.toml are element files; "elements/base/zlib.toml" is "base/zlib" if that is the
// folder.
LoadedProject load_project_texts(std::vector<TextFile> files, unsigned threads = 1);

}  // namespace weir
