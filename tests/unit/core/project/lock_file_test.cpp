#include "core/project/lock_file.h"

#include <thread>

#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

constexpr auto kProject =
    "weir = 1\n[element.b]\nkind = \"make\"\nsource = [{kind = \"git\", url = \"u\", track = \"main\"}, "
    "{kind = \"tar\", url = "
    "\"t\", ref = \"own\"}]\n[element.a]\nkind = \"make\"\nsource = [{kind = \"git\", url = \"v\"}]\n";

TEST(LockFile, is_sorted_and_read_back_as_it_was) {
  const Lock lock = {{{"b", "git", "u", "main"}, "2"}, {{"a", "git", "\"quoted\"\n\x01", ""}, "1"}};
  const auto text = to_text(lock);
  EXPECT_LT(text.find("\"a\""), text.find("\"b\""));
  Diagnostics diagnostics;
  EXPECT_EQ(parse_lock(text, kNoFile, diagnostics), lock);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(LockFile, gives_sources_their_refs_but_not_over_their_own) {
  const TemporaryFolder folder;
  folder.write("weir.toml", kProject);
  auto loaded = load_project({.directory = folder.path()});
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  const auto& b = *loaded.project.find("b");
  ASSERT_TRUE(update_lock_file(folder.path(), loaded.project, {{lock_key(b, b.sources[0]), "abc"}}));
  loaded = load_project({.directory = folder.path()});
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  EXPECT_EQ(loaded.project.find("b")->sources[0].ref, "abc");
  EXPECT_EQ(loaded.project.find("b")->sources[1].ref, "own");
  EXPECT_EQ(loaded.project.find("a")->sources[0].ref, "");
}

TEST(LockFile, an_update_of_some_keeps_the_others_and_drops_what_is_gone) {
  const TemporaryFolder folder;
  folder.write("weir.toml", kProject);
  const auto loaded = load_project({.directory = folder.path()});
  const LockKey gone{"gone", "git", "x", ""}, a{"a", "git", "v", ""}, b{"b", "git", "u", "main"};
  folder.write("weir.lock", to_text(Lock{{gone, "0"}, {a, "1"}, {b, "2"}}));
  ASSERT_TRUE(update_lock_file(folder.path(), loaded.project, {{b, "3"}}));
  EXPECT_EQ(folder.read("weir.lock"), to_text(Lock{{a, "1"}, {b, "3"}}));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files += entry.exists();
  EXPECT_EQ(files, 2u) << "a temporary file was left";
}

TEST(LockFile, an_update_without_changes_removes_what_a_killed_process_left) {
  const TemporaryFolder folder;
  folder.write("weir.toml", kProject);
  const auto loaded = load_project({.directory = folder.path()});
  const LockKey a{"a", "git", "v", ""};
  folder.write("weir.lock", to_text(Lock{{a, "1"}}));
  folder.write("weir.lock.4194305.tmp", "half");  // above every pid
  ASSERT_TRUE(update_lock_file(folder.path(), loaded.project, {{a, "1"}}));
  EXPECT_FALSE(std::filesystem::exists(folder / "weir.lock.4194305.tmp"));
}

TEST(LockFile, two_that_write_at_once_lose_nothing_of_each_other) {
  const TemporaryFolder folder;
  std::string text = "weir = 1\n";
  for (int i = 0; i < 40; ++i)
    text +=
        "[element.e" + std::to_string(i) + "]\nkind = \"make\"\nsource = [{kind = \"git\", url = \"u\"}]\n";
  folder.write("weir.toml", text);
  const auto loaded = load_project({.directory = folder.path()});
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  const auto track = [&](int first) {
    for (int i = first; i < 40; i += 2)
      EXPECT_TRUE(update_lock_file(folder.path(), loaded.project,
                                   {{{"e" + std::to_string(i), "git", "u", ""}, "1"}}));
  };
  std::thread other(track, 0);
  track(1);
  other.join();
  Diagnostics diagnostics;
  EXPECT_EQ(parse_lock(folder.read("weir.lock"), kNoFile, diagnostics).size(), 40u);
}

TEST(LockFile, a_link_stays_a_link) {
  const TemporaryFolder folder;
  folder.write("weir.toml", kProject);
  folder.write("shared.lock", to_text(Lock{}));
  std::filesystem::create_symlink("shared.lock", folder / "weir.lock");
  const auto loaded = load_project({.directory = folder.path()});
  ASSERT_TRUE(update_lock_file(folder.path(), loaded.project, {{{"a", "git", "v", ""}, "1"}}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "weir.lock"));
  EXPECT_NE(folder.read("shared.lock").find("ref = \"1\""), std::string::npos);
}

TEST(LockFile, one_that_cannot_be_read_loses_no_ref_to_an_update_of_some) {
  const TemporaryFolder folder;
  folder.write("weir.toml", kProject);
  const auto loaded = load_project({.directory = folder.path()});
  const LockKey gone{"gone", "git", "x", ""}, a{"a", "git", "v", ""}, b{"b", "git", "u", "main"};
  const auto good = to_text(Lock{{gone, "0"}, {a, "1"}, {b, "2"}});
  const auto other_format = good.substr(0, good.find("weir-lock = ")) + "weir-lock = 0" +
                            good.substr(good.find("weir-lock = ") + 13);
  for (const auto& text : {"<<<<<<< HEAD\n" + good, good.substr(0, good.size() - 5), other_format}) {
    SCOPED_TRACE(text);
    folder.write("weir.lock", text);
    const auto updated = update_lock_file(folder.path(), loaded.project, {{b, "3"}});
    ASSERT_FALSE(updated);
    EXPECT_NE(updated.error().message.find("\"a\""), std::string::npos) << updated.error().message;
    EXPECT_NE(updated.error().remedy.find("weir track"), std::string::npos) << updated.error().remedy;
    EXPECT_EQ(folder.read("weir.lock"), text);
    EXPECT_TRUE(update_lock_file(folder.path(), loaded.project, {{a, "1"}, {b, "3"}}));
    EXPECT_EQ(folder.read("weir.lock"), to_text(Lock{{a, "1"}, {b, "3"}}));
  }
}

TEST(LockFile, a_broken_one_is_told_and_not_written_over) {
  const TemporaryFolder folder;
  folder.write("weir.toml", kProject);
  folder.write("weir.lock", "weir-lock = 9\n");
  const auto loaded = load_project({.directory = folder.path()});
  EXPECT_NE(errors_of(loaded).find("weir.lock:1:13: error:"), std::string::npos) << errors_of(loaded);
  EXPECT_FALSE(update_lock_file(folder.path(), loaded.project, {}));
  EXPECT_EQ(folder.read("weir.lock"), "weir-lock = 9\n");
}

}  // namespace
}  // namespace weir
