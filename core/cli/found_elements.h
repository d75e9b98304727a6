// What a folder looks like it wants to be built with, for `weir init`: a build system, or a few C files; if
// there is nothing of that in the folder itself, each of its subfolders that has one is an element of its
// own.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

struct FoundElement {
  std::string name;
  std::string path;  // of its source, below the folder
  std::string kind;
  std::string because;               // the file that told
  std::vector<std::string> exclude;  // of its source
  std::string phase;                 // key of `commands` in its config; empty: the kind needs none
  std::vector<std::string> commands;
  std::string note;  // for whoever reads what is written
};

struct FoundElements {
  std::vector<FoundElement> elements;  // by name of their folders
  std::vector<std::string> left_out;   // subfolders whose names cannot be written in TOML
};

// `name` is that of an element in the folder itself.
FoundElements find_elements(const std::string& folder, const std::string& name);

// The nearest name that an element can have, and that is short enough for a name of a file when it is
// escaped.
std::string element_name_of(std::string_view text);

}  // namespace weir::cli
