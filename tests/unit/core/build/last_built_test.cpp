#include "core/build/last_built.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

SeenArtifact seen(const std::string& recipe, bool built, const std::string& output = "out") {
  return {store::Key::of(recipe), store::digest_of(recipe), store::digest_of(output), built};
}

class LastBuiltFile : public ::testing::Test {
 protected:
  void run(std::uint64_t number, const SeenArtifact& what, TextMap variables = {},
           const std::string& element = "app") {
    BuiltNotes notes(number);
    notes.add(element, what, std::move(variables));
    ASSERT_TRUE(notes.save(folder_.path()));
  }
  LastBuiltElement known(const std::string& element = "app") {
    const auto all = LastBuilt::load(folder_.path());
    const auto* found = all.find(element);
    return found ? *found : LastBuiltElement{};
  }
  TemporaryFolder folder_;
};

TEST_F(LastBuiltFile, keeps_the_newest_artifact_and_the_one_before_that_differed) {
  EXPECT_EQ(LastBuilt::load(folder_.path()).find("app"), nullptr);
  run(1, seen("one", true), {{"opt", "-O1"}});
  EXPECT_EQ(known().newest.key, store::Key::of("one"));
  EXPECT_EQ(known().newest.recipe, store::digest_of("one"));
  EXPECT_EQ(known().newest.built, 1u);
  EXPECT_FALSE(known().before);
  run(2, seen("one", false), {{"opt", "-O1"}});
  run(3, seen("two", true, "other"), {{"opt", "-O2"}});
  EXPECT_EQ(known().newest.built, 3u);
  EXPECT_EQ(known().newest.output, store::digest_of("other"));
  EXPECT_EQ(known().newest.variables, (TextMap{{"opt", "-O2"}}));
  ASSERT_TRUE(known().before);
  EXPECT_EQ(known().before->built, 1u);
  EXPECT_EQ(known().before->variables, (TextMap{{"opt", "-O1"}}));
}

TEST_F(LastBuiltFile, a_revert_is_found_again_and_still_knows_who_built_it) {
  run(1, seen("one", true));
  run(2, seen("two", true));
  run(3, seen("one", false));
  EXPECT_EQ(known().newest.key, store::Key::of("one"));
  EXPECT_EQ(known().newest.built, 1u);
  EXPECT_EQ(known().newest.used, 3u);
  EXPECT_EQ(known().before->key, store::Key::of("two"));
}

TEST_F(LastBuiltFile, the_same_built_again_was_forced_or_gone) {
  run(1, seen("one", true));
  run(2, seen("one", true));
  EXPECT_EQ(known().newest.occasion, Occasion::gone);
  EXPECT_EQ(known().newest.built, 2u);
  auto forced = seen("one", true);
  forced.forced = true;
  run(3, forced);
  EXPECT_EQ(known().newest.occasion, Occasion::forced);
  EXPECT_FALSE(known().before);
  run(4, seen("two", true));
  EXPECT_EQ(known().newest.occasion, Occasion::changed);
}

TEST_F(LastBuiltFile, the_other_of_two_weirs_that_waited_for_it_may_be_the_first_to_write) {
  run(2, seen("one", false));
  run(1, seen("one", true));
  EXPECT_EQ(known().newest.built, 1u);
  EXPECT_EQ(known().newest.occasion, Occasion::changed);
}

TEST_F(LastBuiltFile, elements_that_a_run_did_not_see_stay) {
  run(1, seen("z", true), {}, "z");
  run(2, seen("a", true), {}, "a");
  run(3, seen("m", true), {}, "m");
  EXPECT_EQ(known("a").newest.built, 2u);
  EXPECT_EQ(known("m").newest.built, 3u);
  EXPECT_EQ(known("z").newest.built, 1u);
}

TEST_F(LastBuiltFile, runs_that_end_at_the_same_time_lose_nothing) {
  std::vector<std::thread> runs;
  for (std::uint64_t number = 1; number <= 8; ++number)
    runs.emplace_back([&, number] {
      BuiltNotes notes(number);
      notes.add("element-" + std::to_string(number), seen("recipe", true), {});
      EXPECT_TRUE(notes.save(folder_.path()));
    });
  for (auto& run : runs) run.join();
  for (std::uint64_t number = 1; number <= 8; ++number)
    EXPECT_EQ(known("element-" + std::to_string(number)).newest.built, number);
}

TEST_F(LastBuiltFile, nothing_is_written_when_nothing_changed) {
  run(1, seen("one", true));
  const auto path = folder_ / "last-built";
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(path, old);
  run(2, seen("one", false));
  EXPECT_EQ(std::filesystem::last_write_time(path), old);
}

TEST_F(LastBuiltFile, what_is_damaged_or_foreign_counts_as_empty_and_is_written_anew) {
  run(1, seen("one", true), {{"opt", "-O1"}});
  const auto good = folder_.read("last-built");
  for (std::size_t size = 0; size < good.size(); ++size) {
    folder_.write("last-built", good.substr(0, size));
    ASSERT_EQ(LastBuilt::load(folder_.path()).find("app"), nullptr) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    folder_.write("last-built", bad);
    ASSERT_EQ(LastBuilt::load(folder_.path()).find("app"), nullptr) << at;
  }
  folder_.write("last-built", "something else\n");
  run(2, seen("two", true));
  EXPECT_EQ(known().newest.built, 2u);
}

TEST_F(LastBuiltFile, a_folder_that_cannot_be_written_is_an_error_and_no_more) {
  BuiltNotes notes(1);
  EXPECT_TRUE(notes.save("/no/such/folder")) << "nothing to say";
  notes.add("app", seen("one", true), {});
  EXPECT_FALSE(notes.save("/no/such/folder"));
}

// Of this thread.
double cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

TEST_F(LastBuiltFile, a_hundred_thousand_elements_are_one_quick_write) {
  const auto seconds_of_run = [&](std::uint64_t number, const std::string& recipe, bool built,
                                  int elements = 100'000) {
    BuiltNotes notes(number);
    for (int i = 0; i < elements; ++i) {
      const auto name = "element-" + std::to_string(i);
      notes.add(name, seen(name + recipe, built), {{"opt", recipe}});
    }
    const auto start = cpu_seconds();
    EXPECT_TRUE(notes.save(folder_.path()));
    const auto seconds = cpu_seconds() - start;
    RecordProperty("seconds_of_run_" + std::to_string(number), std::to_string(seconds));
    return seconds;
  };
  // CPU time, since the machine may be busy, beside that of a tenth of the elements in this very build:
  // sanitizers take twenty times as long. What grows with the square would take a hundred times as much. See
  // last_built.h for what it takes.
  const auto most = 40 * seconds_of_run(1, "none", true, 10'000) + 1;
  EXPECT_LT(seconds_of_run(1, "one", true), most);
  EXPECT_LT(seconds_of_run(2, "two", true), most);
  EXPECT_LT(seconds_of_run(3, "two", false), most);
  RecordProperty("bytes", std::to_string(std::filesystem::file_size(folder_ / "last-built")));
  EXPECT_EQ(known("element-77777").before->built, 1u);
  EXPECT_EQ(known("element-77777").newest.built, 2u);
}

}  // namespace
}  // namespace weir
