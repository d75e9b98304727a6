#include "core/remote/remote_notes.h"

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

class Notes : public testing::Test {
 protected:
  RemoteNotes open() {
    return RemoteNotes(folder_ / "notes", [this] { return now_; });
  }
  TemporaryFolder folder_;
  std::int64_t now_ = 1'000'000;
};

TEST_F(Notes, what_was_learnt_is_there_in_the_next_run) {
  {
    auto notes = open();
    EXPECT_FALSE(notes.knows("k1"));
    notes.learn("k1");
    notes.set_bad("b1");
    ASSERT_TRUE(notes.save());
  }
  auto notes = open();
  EXPECT_TRUE(notes.knows("k1"));
  EXPECT_TRUE(notes.is_bad("b1"));
  notes.forget("k1");
  notes.set_good("b1");
  ASSERT_TRUE(notes.save());
  EXPECT_FALSE(open().knows("k1"));
  EXPECT_FALSE(open().is_bad("b1"));
}

TEST_F(Notes, knowledge_is_good_for_a_day) {
  auto notes = open();
  notes.learn("k1");
  ASSERT_TRUE(notes.save());
  now_ += 24 * 3600 - 1;
  EXPECT_TRUE(open().knows("k1"));
  now_ += 2;
  EXPECT_FALSE(open().knows("k1"));
  now_ = 5;  // a clock that went back
  EXPECT_FALSE(open().knows("k1"));
}

TEST_F(Notes, a_record_that_is_bad_is_not_known) {
  auto notes = open();
  notes.learn("k1");
  notes.set_bad("k1");
  EXPECT_FALSE(notes.knows("k1"));
}

TEST_F(Notes, two_at_once_lose_nothing_of_each_other) {
  auto one = open(), two = open();
  one.learn("k1");
  two.learn("k2");
  two.set_bad("b2");
  ASSERT_TRUE(one.save());
  ASSERT_TRUE(two.save());
  EXPECT_TRUE(open().knows("k1"));
  EXPECT_TRUE(open().knows("k2"));
  EXPECT_TRUE(open().is_bad("b2"));
}

TEST_F(Notes, a_damaged_file_is_as_good_as_none) {
  using namespace std::string_literals;
  folder_.write("notes", "has k1\nbad\n\0\xff has k2 99999999999999999999999\nhas k3 999999\n"s);
  auto notes = open();
  EXPECT_FALSE(notes.knows("k1"));
  notes.learn("k4");
  ASSERT_TRUE(notes.save());
  EXPECT_TRUE(open().knows("k4"));
}

TEST_F(Notes, each_url_has_a_file_that_does_not_show_it) {
  const auto one = RemoteNotes::file_for("/c", "https://user:secret@a"),
             two = RemoteNotes::file_for("/c", "https://b");
  EXPECT_NE(one, two);
  EXPECT_EQ(one.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace weir
