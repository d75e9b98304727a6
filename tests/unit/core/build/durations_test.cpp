#include "core/build/durations.h"

#include <gtest/gtest.h>

#include "core/build/sealed_file.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

Event ended(std::string_view element, double seconds, std::string_view result = "succeeded",
            std::string_view queue = "build") {
  event::JobEnd end;
  end.element = element;
  end.queue = queue;
  end.result = result;
  end.seconds = seconds;
  return {1, {}, end};
}

void note(const TemporaryFolder& folder, std::vector<Event> events) {
  DurationNotes notes;
  for (const auto& event : events) notes.on_event(event);
  ASSERT_TRUE(notes.save(folder.path()));
}

TEST(Durations, the_median_of_the_last_five_builds_that_succeeded) {
  TemporaryFolder folder;
  for (const double seconds : {100.0, 100.0, 1.0, 2.0, 900.0, 3.0, 2.5})
    note(folder, {ended("app", seconds)});
  note(folder, {ended("app", 77, "failed"), ended("app", 88, "succeeded", "fetch"), ended("lib", 0.0)});
  const auto durations = Durations::load(folder.path());
  EXPECT_EQ(durations.of("app"), 2500u);
  EXPECT_EQ(durations.of("lib"), 1u) << "0 would mean that it is not known";
  EXPECT_EQ(durations.of("other"), 0u);
  EXPECT_EQ(durations.usual(), 2500u);
}

TEST(Durations, a_damaged_file_counts_as_empty_and_is_written_anew) {
  TemporaryFolder folder;
  note(folder, {ended("app", 1)});
  for (const auto* text :
       {"", "short", "something else that is long enough to have a seal at its end, but it is none"}) {
    folder.write("durations", text);
    EXPECT_TRUE(Durations::load(folder.path()).empty());
  }
  note(folder, {ended("app", 2)});
  EXPECT_EQ(Durations::load(folder.path()).of("app"), 2000u);
  EXPECT_EQ(Durations::load(folder / "nowhere").usual(), 0u);
}

// A small change is appended to a large file; to one that is never read it would be lost.
TEST(Durations, nothing_is_appended_to_a_large_file_that_is_damaged_or_of_another_format) {
  TemporaryFolder folder;
  folder.write("durations", std::string(100'000, 'x'));
  EXPECT_TRUE(Durations::load(folder.path()).empty());
  note(folder, {ended("app", 1)});
  EXPECT_EQ(Durations::load(folder.path()).of("app"), 1000u);

  ASSERT_TRUE(SealedFile(folder / "durations").write(std::string(100'000, 'x')));
  note(folder, {ended("app", 2)});
  EXPECT_EQ(Durations::load(folder.path()).of("app"), 2000u);
}

}  // namespace
}  // namespace weir
