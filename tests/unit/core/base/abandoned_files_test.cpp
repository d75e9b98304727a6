#include "core/base/abandoned_files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/replace_file.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

std::string ended_process() {
  const auto pid = ::fork();
  if (pid == 0) ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  return std::to_string(pid);
}

class AbandonedFiles : public testing::Test {
 protected:
  std::string file(const std::string& name) const {
    folder_.write(name, "half");
    return folder_ / name;
  }
  TemporaryFolder folder_;
};

TEST_F(AbandonedFiles, those_of_processes_that_ended_are_removed) {
  const auto plain = file("notes." + ended_process()), durable = file("notes." + ended_process() + ".tmp");
  const auto running = file("notes." + std::to_string(::getpid()));
  const auto others = {file("notes"), file("notes.delta"), file("notes.12x"), file(".1")};
  remove_abandoned_files(folder_.path());
  EXPECT_FALSE(std::filesystem::exists(plain));
  EXPECT_FALSE(std::filesystem::exists(durable));
  EXPECT_TRUE(std::filesystem::exists(running));
  for (const auto& other : others) EXPECT_TRUE(std::filesystem::exists(other)) << other;
}

TEST_F(AbandonedFiles, a_file_that_is_replaced_loses_only_its_own) {
  const auto own = file("weir.lock." + ended_process() + ".tmp"), other = file("mine." + ended_process());
  ASSERT_TRUE(replace_file(folder_ / "weir.lock", "text"));
  EXPECT_FALSE(std::filesystem::exists(own));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(AbandonedFiles, a_backup_of_a_file_that_is_replaced_is_kept) {
  const auto backup = file("weir.lock." + ended_process());
  ASSERT_TRUE(replace_file(folder_ / "weir.lock", "text"));
  EXPECT_TRUE(std::filesystem::exists(backup));
}

}  // namespace
}  // namespace weir
