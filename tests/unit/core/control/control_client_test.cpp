#include "core/control/control_client.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/control/control_socket.h"
#include "tests/support/running_control.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

const std::string kStatus = R"({"v":1,"op":"status"})";

TEST(ControlClient, asks_as_often_as_it_likes) {
  const TemporaryFolder folder;
  RunningControl server(folder.path());
  auto client = ControlClient::connect(folder.path());
  ASSERT_TRUE(client);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(client->ask(kStatus, std::nullopt).value_or("nothing"),
              R"({"v":1,"ok":true,"status":{"run":3,"state":"running"}})");
}

TEST(ControlClient, large_requests_and_answers_go_through) {
  const TemporaryFolder folder;
  RunningControl server(folder.path());
  auto client = ControlClient::connect(folder.path());
  ASSERT_TRUE(client);
  const auto long_request = R"({"v":1,"op":"cancel","job":")" + std::string(1'000'000, 'x') + "\"}";
  EXPECT_EQ(client->ask(long_request, std::nullopt).value_or("nothing"), R"({"v":1,"ok":true})");
}

TEST(ControlClient, where_nobody_listens_there_is_no_run) {
  const TemporaryFolder folder;
  for (const auto& where : {folder.path(), folder / "missing"}) {
    const auto client = ControlClient::connect(where);
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().reason, Reason::not_found);
  }
}

TEST(ControlClient, a_run_that_goes_away_is_told_as_that) {
  const TemporaryFolder folder;
  auto listener = control::listen_in(folder.path());
  ASSERT_TRUE(listener);
  auto client = ControlClient::connect(folder.path());
  ASSERT_TRUE(client);
  listener->reset();
  const auto reply = client->ask(kStatus, std::nullopt);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason, Reason::system);
  EXPECT_EQ(reply.error().message, "the run went away before it answered");
}

// In the folder of a run that another user owns, anything may listen.
TEST(ControlClient, a_socket_of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const TemporaryFolder folder;
  ASSERT_EQ(::chown(folder.path().c_str(), 65534, 65534), 0);
  int listens[2], over[2];
  ASSERT_TRUE(::pipe2(listens, O_CLOEXEC) == 0 && ::pipe2(over, O_CLOEXEC) == 0);
  const UniqueFd ready(listens[0]);
  UniqueFd ready_end(listens[1]), waits(over[0]), end(over[1]);
  const auto child = ::fork();
  if (child == 0) {
    end.reset();
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(1);
    const auto listener = control::listen_in(folder.path());
    if (!listener || !write_all(ready_end.get(), "r")) ::_exit(2);
    char byte;
    (void)!::read(waits.get(), &byte, 1);
    ::_exit(0);
  }
  ready_end.reset();
  char byte = 0;
  const bool listened = ::read(ready.get(), &byte, 1) == 1;
  const auto client = ControlClient::connect(folder.path());
  end.reset();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (!listened) GTEST_SKIP() << "there is no user 65534 here";
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().reason, Reason::usage);
  EXPECT_NE(client.error().message.find("belongs to another user"), std::string::npos)
      << client.error().message;
}

TEST(ControlClient, half_an_answer_is_none) {
  const TemporaryFolder folder;
  auto listener = control::listen_in(folder.path());
  ASSERT_TRUE(listener);
  auto client = ControlClient::connect(folder.path());
  ASSERT_TRUE(client);
  {
    const UniqueFd accepted(::accept(listener->get(), nullptr, nullptr));
    ASSERT_TRUE(write_all(accepted.get(), R"({"v":1,"ok":tr)"));
  }
  const auto reply = client->ask(kStatus, std::nullopt);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "the run went away before it answered");
}

TEST(ControlClient, a_run_that_is_stopped_does_not_hold_it_for_ever) {
  const TemporaryFolder folder;
  const auto stopped = control::listen_in(folder.path());
  ASSERT_TRUE(stopped);
  auto client = ControlClient::connect(folder.path());
  ASSERT_TRUE(client);
  const auto reply = client->ask(kStatus, std::chrono::milliseconds(1));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason, Reason::system);
  EXPECT_NE(reply.error().remedy.find("Ctrl-Z"), std::string::npos);
}

}  // namespace
}  // namespace weir
