#include "plugins/host/library_file.h"

#include <gtest/gtest.h>

#include "plugins/host/plugin_path.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

std::vector<std::string> own_libraries() {
  std::vector<std::string> files;
  for (const auto& library : list_libraries(plugin_path({}, {})))
    if (library.origin == PluginPlace::Origin::weir) files.push_back(library.file);
  return files;
}

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(LibraryFile, every_plugin_of_weir_exports_its_entry_and_nothing_else) {
  const auto files = own_libraries();
  EXPECT_FALSE(files.empty());
  for (const auto& file : files)
    EXPECT_EQ(exported_symbols(file).value(), std::vector<std::string>{"weir_plugin_entry_v1"}) << file;
}

TEST(LibraryFile, a_library_is_good) {
  for (const auto& file : own_libraries()) EXPECT_TRUE(check_library_file(file)) << file;
}

// Whatever is cut off or changed, it is told or is no part of what is loaded: never read beyond the end.
TEST(LibraryFile, cut_at_any_point_it_is_told_or_whole) {
  const TemporaryFolder folder;
  const auto whole = bytes_of(own_libraries().front());
  constexpr std::size_t kHeaders = 1024;
  const auto stride = std::max<std::size_t>(997, whole.size() / 100);
  bool all_loaded_is_there = false;  // behind it are names and debug information alone
  for (std::size_t size = 0; size < whole.size(); size += size < kHeaders ? 13 : stride) {
    folder.write("x.so", whole.substr(0, size));
    const bool good = check_library_file(folder / "x.so").has_value();
    EXPECT_TRUE(good || !all_loaded_is_there) << size;
    EXPECT_TRUE(!good || size > kHeaders) << size;
    all_loaded_is_there = good;
    EXPECT_FALSE(exported_symbols(folder / "x.so"))
        << size << ": names of sections are at the end of the file";
  }
}

TEST(LibraryFile, a_header_full_of_nonsense_is_told) {
  const TemporaryFolder folder;
  const auto whole = bytes_of(own_libraries().front());
  for (std::size_t at = 4; at < 64; ++at) {
    auto bytes = whole;
    bytes[at] = '\xff';
    folder.write("x.so", bytes);
    (void)check_library_file(folder / "x.so");
    (void)exported_symbols(folder / "x.so");
  }
  for (const auto& text : {std::string(),
                           std::string("\x7f"
                                       "ELF"),
                           std::string("\x7f"
                                       "ELF") +
                               std::string(60, '\xff')}) {
    folder.write("x.so", text);
    EXPECT_FALSE(check_library_file(folder / "x.so"));
  }
  EXPECT_FALSE(check_library_file(folder / "nothing.so"));
}

}  // namespace
}  // namespace weir
