// What is in the pipes of a job, and what a job can do to them.
#include "core/exec/jobserver.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

Jobserver make(Jobserver::Form form, std::uint32_t cores, const std::string& path = {}) {
  auto made = Jobserver::make(form, path, cores);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return std::move(*made);
}

bool take(const Jobserver& server) {
  if (server.unused() == 0) return false;  // a read would block
  char token = 0;
  return ::read(server.reader(), &token, 1) == 1 && token == '+';
}
void give(const Jobserver& server, int count = 1) {
  const std::string tokens(static_cast<std::size_t>(count), '+');
  EXPECT_EQ(::write(server.writer(), tokens.data(), tokens.size()), count);
}

TEST(Jobserver, holds_a_token_for_each_core_but_the_first) {
  const auto one = make(Jobserver::Form::pipe, 1);
  EXPECT_EQ(one.unused(), 0u);
  const auto four = make(Jobserver::Form::two_pipes, 4);
  EXPECT_EQ(four.unused(), 3u);
  EXPECT_EQ(four.cores(), 4u);
}

TEST(Jobserver, with_one_pipe_the_job_reads_what_it_wrote) {
  const auto server = make(Jobserver::Form::pipe, 2);
  EXPECT_TRUE(take(server));
  EXPECT_FALSE(take(server));
  give(server);
  EXPECT_TRUE(take(server));
}

TEST(Jobserver, with_two_pipes_all_that_comes_back_passes_weir) {
  auto server = make(Jobserver::Form::two_pipes, 2);
  EXPECT_TRUE(take(server));
  give(server);
  EXPECT_EQ(server.cores(), 2u);
  server.take_returns();
  EXPECT_TRUE(take(server)) << "it is the job's again";
}

TEST(Jobserver, unused_tokens_come_back_at_once_and_used_ones_when_they_are_returned) {
  for (const auto form : {Jobserver::Form::pipe, Jobserver::Form::two_pipes}) {
    auto server = make(form, 4);
    EXPECT_TRUE(take(server));
    EXPECT_TRUE(take(server));
    server.set(1);
    EXPECT_EQ(server.cores(), 3u) << "one of three was not used";
    EXPECT_TRUE(server.is_owed());
    give(server);
    server.take_returns();
    EXPECT_EQ(server.cores(), 2u);
    EXPECT_FALSE(take(server)) << "what is asked for is not the job's any more";
    give(server);
    server.take_returns();
    EXPECT_EQ(server.cores(), 1u);
    EXPECT_FALSE(server.is_owed());
  }
}

TEST(Jobserver, more_cores_are_there_at_once) {
  auto server = make(Jobserver::Form::two_pipes, 1);
  server.set(3);
  EXPECT_EQ(server.cores(), 3u);
  EXPECT_TRUE(take(server));
  EXPECT_TRUE(take(server));
  EXPECT_FALSE(take(server));
}

TEST(Jobserver, a_job_that_writes_more_than_it_read_has_no_more_than_its_cores) {
  auto server = make(Jobserver::Form::two_pipes, 3);
  give(server, 3000);
  server.take_returns();
  EXPECT_EQ(server.unused(), 2u);
  EXPECT_EQ(server.cores(), 3u);
  server.set(1);
  EXPECT_EQ(server.cores(), 1u);
  give(server, 10);
  server.take_returns();
  EXPECT_EQ(server.cores(), 1u);
  EXPECT_EQ(server.unused(), 0u);
}

TEST(Jobserver, tokens_of_processes_that_were_killed_are_there_again) {
  for (const auto form : {Jobserver::Form::pipe, Jobserver::Form::two_pipes}) {
    auto server = make(form, 3);
    EXPECT_TRUE(take(server));
    EXPECT_TRUE(take(server));
    server.set(2);
    EXPECT_EQ(server.cores(), 3u);
    server.renew();
    EXPECT_EQ(server.cores(), 2u);
    EXPECT_EQ(server.unused(), 1u);
  }
}

TEST(Jobserver, a_fifo_has_a_name_that_is_gone_with_it) {
  const TestFolder folder;
  const auto path = folder / "fifo";
  {
    auto server = make(Jobserver::Form::fifo, 3, path);
    const UniqueFd client(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    char token = 0;
    ASSERT_EQ(::read(client.get(), &token, 1), 1);
    server.set(1);
    EXPECT_EQ(server.cores(), 2u);
    ASSERT_EQ(::write(client.get(), &token, 1), 1);
    server.take_returns();
    EXPECT_EQ(server.cores(), 1u);
    struct stat file;
    ASSERT_EQ(::stat(path.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600u);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(Jobserver::make(Jobserver::Form::fifo, folder / "no/fifo", 2));
}

TEST(Jobserver, flags_come_behind_those_of_the_user) {
  EXPECT_EQ(make_flags("", 14, 15), "-j --jobserver-fds=14,15 --jobserver-auth=14,15");
  EXPECT_EQ(make_flags("k", 14, 15), "k -j --jobserver-fds=14,15 --jobserver-auth=14,15");
  EXPECT_EQ(make_flags("", "/.weir-jobserver"), "-j --jobserver-auth=fifo:/.weir-jobserver");
}

}  // namespace
}  // namespace weir
