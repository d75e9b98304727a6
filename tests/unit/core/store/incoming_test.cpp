// Blobs from somebody who may lie.
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {
namespace {

class IncomingBlob : public StoreTest {
 protected:
  static void fill(const Incoming& incoming, std::string_view bytes) {
    ASSERT_TRUE(weir::write_all(incoming.fd(), bytes));
  }
  // Below all sessions of the store.
  std::size_t temporary_files() const {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(here() / "store/tmp"))
      files += entry.is_regular_file();
    return files;
  }
};

TEST_F(IncomingBlob, what_is_right_is_kept) {
  const auto digest = digest_of("content");
  auto incoming = store().receive(digest, true);
  ASSERT_TRUE(incoming);
  fill(*incoming, "cont");
  ASSERT_TRUE(incoming->look(4));
  fill(*incoming, "ent");
  EXPECT_FALSE(store().has(digest));
  EXPECT_TRUE(store().accept(*incoming).value_or(false));
  EXPECT_EQ(store().read_blob(digest).value_or(""), "content");
  EXPECT_TRUE(must(store().verify()).clean());
}

TEST_F(IncomingBlob, what_is_wrong_is_not) {
  const auto digest = digest_of("content");
  for (const auto* wrong : {"Content", "conten", "contents", ""}) {
    auto incoming = store().receive(digest, false);
    ASSERT_TRUE(incoming);
    fill(*incoming, wrong);
    const auto accepted = store().accept(*incoming);
    ASSERT_TRUE(accepted);
    EXPECT_FALSE(*accepted) << wrong;
  }
  EXPECT_FALSE(store().has(digest));
}

TEST_F(IncomingBlob, it_may_begin_again) {
  const auto digest = digest_of("content");
  auto incoming = store().receive(digest, false);
  ASSERT_TRUE(incoming);
  fill(*incoming, "something longer");
  ASSERT_TRUE(incoming->look(16));
  ASSERT_TRUE(incoming->restart());
  fill(*incoming, "content");
  EXPECT_TRUE(store().accept(*incoming).value_or(false));
}

TEST_F(IncomingBlob, what_was_there_already_is_fine) {
  const auto digest = store().put_blob("content");
  ASSERT_TRUE(digest);
  auto incoming = store().receive(*digest, false);
  ASSERT_TRUE(incoming);
  fill(*incoming, "content");
  EXPECT_TRUE(store().accept(*incoming).value_or(false));
}

TEST_F(IncomingBlob, nothing_is_left_of_what_was_dropped) {
  int fd = -1;
  std::shared_ptr<const void> keeper;
  {
    auto incoming = store().receive(digest_of("content"), false);
    ASSERT_TRUE(incoming);
    keeper = incoming->keeper();
    fd = incoming->fd();
  }
  EXPECT_GE(::fcntl(fd, F_GETFD), 0);  // whoever may still write to it writes to nothing
  keeper.reset();
  EXPECT_EQ(must(store().stat()).objects, 0u);
  EXPECT_EQ(temporary_files(), 0u);
}

}  // namespace
}  // namespace weir::store::test
