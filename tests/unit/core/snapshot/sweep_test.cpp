#include "core/snapshot/sweep.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace weir::snapshot {
namespace {

// Watches on files of a folder, as take() makes them.
struct Watched {
  void add(const std::string& path, std::uint32_t folder = kNone) {
    const auto slash = path.rfind('/');
    watches.push_back(
        {stamp_of((root.path() + "/" + path).c_str()).value, static_cast<std::uint32_t>(paths.size()), kNone,
         folder, static_cast<std::uint16_t>(slash == path.npos ? 0 : slash + 1), WatchKind::source, false});
    paths.append(path).push_back('\0');
  }
  std::vector<std::uint32_t> changed() const {
    std::vector<std::uint32_t> all;
    for (const auto& one : sweep({root.path(), watches, paths, folders})) all.push_back(one.watch);
    return all;
  }
  TemporaryFolder root;
  std::vector<Watch> watches;
  std::string paths;
  std::vector<Text> folders;
};

using Rows = std::vector<std::uint32_t>;

TEST(Sweep, tells_what_is_other_than_it_was) {
  Watched watched;
  for (const auto* name : {"same", "written", "removed"})
    watched.root.write(std::string("src/") + name, "text");
  // Else it may get the same time again below: that of one tick of the clock.
  std::filesystem::last_write_time(watched.root / "src",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  watched.add("src/same");
  watched.add("src/written");
  watched.add("src/removed");
  watched.add("src/made");
  watched.add("src");
  EXPECT_EQ(watched.changed(), Rows{});
  watched.root.write("src/written", "other text");
  EXPECT_EQ(watched.changed(), Rows{1});
  std::filesystem::remove(watched.root / "src/removed");
  watched.root.write("src/made", "");
  EXPECT_EQ(watched.changed(), (Rows{1, 2, 3, 4}));
}

TEST(Sweep, what_was_too_young_is_always_told) {
  Watched watched;
  watched.root.write("file", "text");
  watched.add("file");
  watched.watches[0].young = true;
  EXPECT_EQ(watched.changed(), Rows{0});
}

TEST(Sweep, paths_in_a_folder_that_is_opened_and_absolute_ones_are_found) {
  Watched watched;
  watched.root.write("src/deep/file", "text");
  watched.add("src/deep/file", 0);
  watched.folders.push_back({static_cast<std::uint32_t>(watched.paths.size()), 8});
  watched.paths.append("src/deep").push_back('\0');
  const auto absolute = watched.root / "src/deep/file";
  watched.watches.push_back({stamp_of(absolute.c_str()).value,
                             static_cast<std::uint32_t>(watched.paths.size()), kNone, kNone, 0,
                             WatchKind::host, false});
  watched.paths.append(absolute).push_back('\0');
  EXPECT_EQ(watched.changed(), Rows{});
  std::filesystem::remove_all(watched.root / "src/deep");
  EXPECT_EQ(watched.changed(), (Rows{0, 1}));
}

TEST(Sweep, many_threads_find_what_one_would) {
  Watched watched;
  constexpr std::uint32_t kFiles = 10'000;
  for (std::uint32_t i = 0; i < kFiles; ++i) {
    if (i % 1000 != 999) watched.root.write("f" + std::to_string(i), "");
    watched.add("f" + std::to_string(i));
  }
  EXPECT_EQ(watched.changed(), Rows{});
  Rows made;
  for (std::uint32_t i = 999; i < kFiles; i += 1000) {
    watched.root.write("f" + std::to_string(i), "");
    made.push_back(i);
  }
  EXPECT_EQ(watched.changed(), made);
}

}  // namespace
}  // namespace weir::snapshot
