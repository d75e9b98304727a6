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
#include "tests/support/temporary_folder.h"

namespace weir {

inline LoadedProject load_texts(std::string main, std::vector<TextFile> others = {}) {
  others.insert(others.begin(), {"weir.toml", "weir = 1\n" + std::move(main)});
  return load_project_texts(std::move(others));
}

inline std::string errors_of(const LoadedProject& loaded) {
  return to_text(loaded.diagnostics, loaded.files);
}

}  // namespace weir
