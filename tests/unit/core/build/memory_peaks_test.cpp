#include "core/build/memory_peaks.h"

#include "core/build/learnt_memory.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

Event ended_with(std::string_view element, std::uint64_t mebibytes, std::string_view failure = "",
                 std::string_view queue = "build") {
  event::JobEnd end;
  end.element = element;
  end.queue = queue;
  end.result = failure.empty() ? "succeeded" : "failed";
  end.failure.text = failure;
  end.peak_bytes = mebibytes * kMiB;
  return {1, {}, end};
}

void note_peaks(const TemporaryFolder& folder, const std::vector<Event>& events) {
  MemoryNotes notes;
  for (const auto& event : events) notes.on_event(event);
  ASSERT_TRUE(notes.save(folder.path()));
}

TEST(MemoryPeaks, the_most_of_the_last_five_builds_that_succeeded) {
  TemporaryFolder folder;
  for (const std::uint64_t mebibytes : {900, 100, 100, 300, 200, 100})
    note_peaks(folder, {ended_with("app", mebibytes)});
  note_peaks(folder, {ended_with("app", 800, "command"), ended_with("app", 700, "", "test"),
                      ended_with("zlib", 10), ended_with("a", 0)});
  const auto peaks = MemoryPeaks::load(folder.path());
  EXPECT_EQ(peaks.of("app").most(), 300 * kMiB) << "the 900 are six builds old";
  EXPECT_EQ(peaks.of("zlib").most(), 10 * kMiB);
  EXPECT_EQ(peaks.of("a").most(), 0U) << "what runs nothing takes nothing";
  EXPECT_EQ(peaks.of("app").killed_at, 0U);
}

TEST(MemoryPeaks, a_kill_is_remembered_until_it_succeeds) {
  TemporaryFolder folder;
  note_peaks(folder, {ended_with("app", 100)});
  note_peaks(folder,
             {ended_with("app", 250, "oom"), ended_with("app", 200, "oom"), ended_with("new", 50, "oom")});
  auto peaks = MemoryPeaks::load(folder.path());
  EXPECT_EQ(peaks.of("app").killed_bytes(), 250 * kMiB);
  EXPECT_EQ(peaks.of("app").most(), 100 * kMiB);
  EXPECT_EQ(peaks.of("new").killed_bytes(), 50 * kMiB);
  note_peaks(folder, {ended_with("app", 260, "oom"), ended_with("app", 400)});
  peaks = MemoryPeaks::load(folder.path());
  EXPECT_EQ(peaks.of("app").killed_bytes(), 0U);
  EXPECT_EQ(peaks.of("app").most(), 400 * kMiB);
}

TEST(MemoryPeaks, a_damaged_file_counts_as_empty_and_is_written_anew) {
  TemporaryFolder folder;
  note_peaks(folder, {ended_with("app", 1)});
  for (const auto* text :
       {"", "short", "something else that is long enough to have a seal at its end, but it is none"}) {
    folder.write("memory", text);
    EXPECT_TRUE(MemoryPeaks::load(folder.path()).empty());
  }
  note_peaks(folder, {ended_with("app", 2)});
  EXPECT_EQ(MemoryPeaks::load(folder.path()).of("app").most(), 2 * kMiB);
}

class Learnt : public testing::Test {
 protected:
  void element(std::string name, std::string kind) {
    Element one;
    one.name = std::move(name);
    one.kind.text = std::move(kind);
    project.elements.push_back(std::move(one));
  }
  std::uint64_t need(std::uint32_t element, std::uint64_t mebibytes = 1600, std::uint64_t jobs = 4) const {
    return LearntMemory(MemoryPeaks::load(folder.path()), project, {mebibytes * kMiB, jobs})
        .need(ElementIndex{element});
  }
  TemporaryFolder folder;
  Project project;
};

TEST_F(Learnt, nothing_is_asked_for_before_anything_was_built) {
  element("a", "make");
  EXPECT_EQ(need(0), 0U);
}

TEST_F(Learnt, what_was_built_asks_for_its_peak_and_a_little_more) {
  element("a", "make");
  note_peaks(folder, {ended_with("a", 300)});
  EXPECT_GE(need(0), 300 * kMiB * 17 / 16);
  EXPECT_LE(need(0), 300 * kMiB * 17 / 16 * 9 / 8);
}

TEST_F(Learnt, about_the_same_is_the_same) {
  element("a", "make");
  element("b", "make");
  note_peaks(folder, {ended_with("a", 300), ended_with("b", 301)});
  EXPECT_EQ(need(0), need(1));
}

TEST_F(Learnt, what_is_small_is_all_the_same) {
  element("a", "make");
  element("b", "make");
  note_peaks(folder, {ended_with("a", 1), ended_with("b", 9)});
  EXPECT_EQ(need(0), 50 * kMiB) << "an eighth of the share of one of four";
  EXPECT_EQ(need(1), need(0));
  EXPECT_EQ(need(0, 64 * 1024), 64 * kMiB);
}

TEST_F(Learnt, never_more_than_there_is) {
  element("a", "make");
  note_peaks(folder, {ended_with("a", 5000)});
  EXPECT_EQ(need(0), 1600 * kMiB);
}

TEST_F(Learnt, what_was_never_built_is_like_its_kind_but_not_more_than_the_share_of_a_core) {
  for (const auto* name : {"a", "b", "c"}) element(name, "make");
  element("new", "make");
  element("other", "cmake");
  note_peaks(folder, {ended_with("a", 10), ended_with("b", 200), ended_with("c", 300)});
  EXPECT_GE(need(3), 200 * kMiB);
  EXPECT_LE(need(3), 250 * kMiB);
  EXPECT_EQ(need(3, 800), 200 * kMiB);
  EXPECT_EQ(need(4), 0U) << "nothing of its kind was built";
}

TEST_F(Learnt, who_was_killed_asks_for_more_than_it_had) {
  element("a", "make");
  note_peaks(folder, {ended_with("a", 300)});
  note_peaks(folder, {ended_with("a", 400, "oom")});
  EXPECT_GE(need(0), 600 * kMiB);
}

TEST_F(Learnt, no_two_run_together_of_which_a_kill_is_all_that_is_known) {
  element("a", "make");
  element("b", "make");
  element("new", "make");
  note_peaks(folder, {ended_with("a", 20, "oom"), ended_with("b", 30, "oom")});
  for (const std::uint32_t i : {0, 1, 2}) EXPECT_GT(need(i), 800 * kMiB) << i;
}

}  // namespace
}  // namespace weir
