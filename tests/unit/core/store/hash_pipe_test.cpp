#include "core/store/hash_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include "core/base/random.h"
#include "core/store/file_tools.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

class HashPipe : public ::testing::Test {
 protected:
  std::string noise(std::size_t size) {
    std::string bytes(size, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random_.next());
    return bytes;
  }
  fs::path file(const std::string& bytes) {
    const auto path = here_.path() / "file";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    return path;
  }
  UniqueFd new_file(const char* name) {
    return UniqueFd(::open((here_.path() / name).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  }
  static std::string content(int fd) {
    ::lseek(fd, 0, SEEK_SET);
    return must(read_all(fd, "reading"));
  }

  TemporaryDirectory here_;
  Random random_{7};
};

// Around the sizes of a buffer, of all buffers, and of what is worth a thread.
TEST_F(HashPipe, gives_the_digest_and_the_copy_of_files_of_any_size) {
  constexpr std::size_t kBuffer = 256 * 1024;
  for (const auto size : {std::size_t{0}, std::size_t{1}, kBuffer - 1, kBuffer, kBuffer + 1, 16 * kBuffer - 1,
                          16 * kBuffer, 16 * kBuffer + 1, 21 * kBuffer + 7}) {
    const auto bytes = noise(size);
    const UniqueFd from(::open(file(bytes).c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(must(hash_file(from.get(), -1, size)).digest, digest_of(bytes)) << size;
    const auto to = new_file("copy");
    EXPECT_EQ(must(hash_file(from.get(), to.get(), size)).digest, digest_of(bytes)) << size;
    EXPECT_EQ(content(to.get()), bytes) << size;
  }
}

TEST_F(HashPipe, the_checksum_is_the_same_with_and_without_the_digest) {
  const auto bytes = noise(5 << 20);
  const UniqueFd from(::open(file(bytes).c_str(), O_RDONLY | O_CLOEXEC));
  const auto to = new_file("copy");
  const auto checksum = must(checksum_file(from.get(), to.get()));
  EXPECT_EQ(must(hash_file(from.get(), -1, bytes.size())).checksum, checksum);
  EXPECT_EQ(content(to.get()), bytes);
  EXPECT_FALSE(must(hash_file(from.get(), -1, 10)).checksum);
}

TEST_F(HashPipe, a_file_of_another_size_than_expected_is_read_to_its_end) {
  const auto bytes = noise(5 << 20);
  const UniqueFd from(::open(file(bytes).c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(must(hash_file(from.get(), -1, 10)).digest, digest_of(bytes));
  EXPECT_EQ(must(hash_file(from.get(), -1, 50 << 20)).digest, digest_of(bytes));
}

TEST_F(HashPipe, trouble_in_the_middle_is_told) {
  const auto bytes = noise(8 << 20);
  const UniqueFd from(::open(file(bytes).c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd closed(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const auto full = hash_file(from.get(), closed.get(), bytes.size());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().reason, Reason::resources);
  const UniqueFd directory(::open("/", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(hash_file(directory.get(), -1, 8 << 20));
  EXPECT_FALSE(hash_file(directory.get(), -1, 8));
}

}  // namespace

}  // namespace weir::store::test
