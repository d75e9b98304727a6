#include "core/control/control_server.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <filesystem>

#include "core/control/reply.h"
#include "tests/support/fake_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/core/control/peer.h"

namespace weir {
namespace {

const std::string kStatusLine = R"({"v":1,"op":"status"})";
const std::string kStatusReply = R"({"v":1,"ok":true,"status":{"run":3,"state":"running"}})";
const std::string kSubmit = R"({"v":1,"op":"submit","targets":["app"]})";
const std::string kDone = R"({"v":1,"ok":true})";
constexpr Duration kNoPatience = std::chrono::milliseconds(1);

class ControlServerTest : public testing::Test {
 protected:
  ControlServer& serve(ControlLimits limits = {}) {
    server = std::make_unique<ControlServer>(loop, folder.path(), run, limits);
    EXPECT_TRUE(server->listening()) << server->listening().error().message;
    return *server;
  }
  Peer peer() { return Peer(loop, folder.path()); }
  std::string ask(const std::string& request) { return peer().ask(request); }
  static control::Reply refused(const std::optional<std::string>& line) {
    auto reply = control::parse_reply(line.value_or(""));
    EXPECT_TRUE(reply && !reply->ok) << line.value_or("nothing came");
    return reply.value_or(control::Reply{});
  }

  TemporaryFolder folder;
  boost::asio::io_context loop{1};
  FakeRun run;
  std::unique_ptr<ControlServer> server;
};

TEST_F(ControlServerTest, each_request_is_one_call_and_one_answer) {
  serve();
  auto client = peer();
  EXPECT_EQ(client.ask(kStatusLine), kStatusReply);
  EXPECT_EQ(client.ask(R"({"v":1,"op":"cancel","job":12})"), kDone);
  EXPECT_EQ(client.ask(R"({"v":1,"op":"suspend"})"), kDone);
  EXPECT_EQ(client.ask(R"({"v":1,"op":"resume","job":"app"})"), kDone);
  EXPECT_EQ(client.ask(R"({"v":1,"op":"submit","requestor":"ci","targets":["a","b"]})"),
            R"({"v":1,"ok":true,"targets":2})");
  EXPECT_EQ(client.ask(R"({"v":1,"op":"set","name":"loads","value":{"ci":1.50}})"), kDone);
  EXPECT_EQ(client.ask(R"({"v":1,"op":"worker","order":"return","name":"w1"})"), kDone);
  const std::vector<std::string> calls = {"status",     "cancel 12",     "suspend",
                                          "resume app", "submit ci a,b", R"(set loads {"ci":1.50})",
                                          "worker 2 w1"};
  EXPECT_EQ(run.calls, calls);
  EXPECT_EQ(client.ask(R"({"v":1,"op":"get"})"), R"({"v":1,"ok":true,"settings":)" + run.settings() + "}");
  EXPECT_EQ(client.ask(R"({"v":1,"op":"get","name":"loads"})"), R"({"v":1,"ok":true,"value":{"ci":70.10}})");
}

TEST_F(ControlServerTest, what_the_run_refuses_is_told_with_its_place) {
  serve();
  run.answer = fail(Reason::not_found, "there is no job 12", "weir ctl status lists them");
  EXPECT_EQ(
      ask(R"({"v":1,"op":"cancel","job":12})"),
      R"({"v":1,"ok":false,"error":{"reason":"not-found","message":"there is no job 12","remedy":"weir ctl status lists them","path":"/job"}})");
  EXPECT_EQ(refused(ask(R"({"v":1,"op":"set","name":"loads","value":1})")).path, "/value");
  EXPECT_EQ(refused(ask(R"({"v":1,"op":"worker","order":"drain","name":"w"})")).path, "/name");
}

TEST_F(ControlServerTest, a_setting_that_does_not_exist_is_not_asked_of_the_run) {
  serve();
  for (const auto* op : {"get", "set"}) {
    const auto value = std::string(op) == "set" ? R"(,"value":1)" : "";
    const auto reply = refused(ask(fmt::format(R"({{"v":1,"op":"{}","name":"lodas"{}}})", op, value)));
    EXPECT_EQ(reply.path, "/name");
    EXPECT_EQ(reply.error.remedy, "did you mean \"loads\"?");
  }
  EXPECT_TRUE(run.calls.empty());
}

TEST_F(ControlServerTest, requests_may_come_byte_by_byte_or_many_at_once) {
  serve();
  auto slow = peer();
  for (const char byte : kStatusLine + "\n") {
    slow.send({&byte, 1});
    poll_once(loop);
  }
  EXPECT_EQ(slow.line(), kStatusReply);
  auto fast = peer();
  std::string many;
  for (int i = 0; i < 500; ++i) many += fmt::format(R"({{"v":1,"op":"cancel","job":{}}})", i) + "\r\n";
  fast.send(many + kStatusLine + "\n");
  for (int i = 0; i < 500; ++i) ASSERT_EQ(fast.line(), kDone);
  EXPECT_EQ(fast.line(), kStatusReply);
  EXPECT_EQ(run.calls[500], "cancel 499");
}

TEST_F(ControlServerTest, a_submission_is_answered_when_it_is_planned_and_holds_up_nobody_else) {
  serve();
  run.submit_later = true;
  auto patient = peer(), other = peer();
  patient.send(kSubmit + "\n" + kStatusLine + "\n");
  ASSERT_TRUE(run_until(loop, [&] { return run.submitted.size() == 1; }));
  EXPECT_EQ(other.ask(kStatusLine), kStatusReply);
  EXPECT_EQ(run.calls, (std::vector<std::string>{"submit  app", "status"}));
  run.submitted[0](7);
  EXPECT_EQ(patient.line(), R"({"v":1,"ok":true,"targets":7})");
  EXPECT_EQ(patient.line(), kStatusReply);
  auto failing = peer();
  failing.send(kSubmit + "\n");
  ASSERT_TRUE(run_until(loop, [&] { return run.submitted.size() == 2; }));
  run.submitted[1](fail(Reason::usage, "there is no element \"app\""));
  EXPECT_EQ(refused(failing.line()).path, "/targets");
}

TEST_F(ControlServerTest, a_client_that_went_away_during_its_submission_is_forgotten) {
  serve({.connections = 1});
  run.submit_later = true;
  auto gone = peer();
  gone.send(kSubmit + "\n");
  ASSERT_TRUE(run_until(loop, [&] { return run.submitted.size() == 1; }));
  gone.hang_up();
  run.submitted[0](1);
  EXPECT_EQ(ask(kStatusLine), kStatusReply);
}

TEST_F(ControlServerTest, nonsense_is_refused_and_the_connection_goes_on) {
  serve();
  auto client = peer();
  const std::vector<std::string> all = {"",
                                        "hello",
                                        std::string(1000, '\0'),
                                        "\xff\xfe",
                                        std::string(100'000, '['),
                                        std::string(100'000, '{'),
                                        R"({"v":1,"op":"set","name":"loads","value":)" +
                                            std::string(100'000, '[') + std::string(100'000, ']') + "}",
                                        R"({"v":1,"op":"status)",
                                        R"({"v":1e999,"op":"status"})",
                                        "{\"v\":1,\"op\":\"st\0tus\"}"};
  for (const auto& line : all) {
    EXPECT_FALSE(refused(client.ask(line)).error.message.empty());
    EXPECT_EQ(client.ask(kStatusLine), kStatusReply);
  }
}

TEST_F(ControlServerTest, a_line_without_an_end_is_cut_off) {
  serve();
  auto client = peer();
  client.send(std::string((1 << 20) + 100'000, 'x'));
  EXPECT_NE(refused(client.line()).error.remedy.find("1.0 MiB"), std::string::npos);
  EXPECT_TRUE(client.ends());
  const auto exactly = R"({"v":1,"op":"cancel","job":")" + std::string((1 << 20) - 30, 'x') + "\"}";
  ASSERT_EQ(exactly.size(), 1U << 20);
  EXPECT_EQ(ask(exactly), kDone);
  EXPECT_EQ(refused(ask(exactly + " ")).error.message, "the request is too long");
}

TEST_F(ControlServerTest, half_a_request_and_the_end_is_refused) {
  serve();
  auto client = peer();
  client.send(kStatusLine + "\n" + R"({"v":1,"op":"cancel"})");
  client.say_no_more();
  EXPECT_EQ(client.line(), kStatusReply);
  EXPECT_EQ(refused(client.line()).error.message, "the request has no end");
  EXPECT_TRUE(client.ends());
  EXPECT_EQ(run.calls, std::vector<std::string>{"status"});
}

TEST_F(ControlServerTest, half_a_request_and_silence_is_dropped_but_silence_alone_is_not) {
  serve({.patience = kNoPatience});
  auto quiet = peer(), half = peer();
  half.send(kStatusLine);
  EXPECT_EQ(refused(half.line()).error.message, "the request came to no end");
  EXPECT_TRUE(half.ends());
  EXPECT_EQ(quiet.ask(kStatusLine), kStatusReply);
}

TEST_F(ControlServerTest, who_does_not_read_is_asked_for_no_more_and_dropped) {
  serve({.patience = std::chrono::milliseconds(50)});
  run.status_text = "\"" + std::string(8 << 20, 'x') + "\"";
  auto deaf = peer();
  std::string many;
  for (int i = 0; i < 100; ++i) many += kStatusLine + "\n";
  deaf.send(many);
  // Sending fails when the server has hung up.
  ASSERT_TRUE(run_until(
      loop, [&] { return ::send(deaf.fd(), "\n", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EPIPE; }));
  EXPECT_EQ(run.calls.size(), 1U);
  run.status_text = "{}";
  EXPECT_EQ(ask(kStatusLine), R"({"v":1,"ok":true,"status":{}})");
}

TEST_F(ControlServerTest, an_answer_larger_than_any_buffer_arrives_whole) {
  serve();
  run.status_text = "\"" + std::string(8 << 20, 'x') + "\"";
  EXPECT_EQ(ask(kStatusLine).size(),
            run.status_text.size() + std::string(R"({"v":1,"ok":true,"status":})").size());
}

TEST_F(ControlServerTest, more_connections_than_allowed_are_told_so) {
  serve();
  std::vector<Peer> all;
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(all.emplace_back(loop, folder.path()).ask(kStatusLine), kStatusReply);
  auto late = peer();
  EXPECT_EQ(refused(late.line()).error.message, "this run has too many connections");
  EXPECT_TRUE(late.ends());
  all.front().hang_up();
  ASSERT_TRUE(run_until(loop, [&] { return ask(kStatusLine) == kStatusReply; }));
  EXPECT_EQ(all.back().ask(kStatusLine), kStatusReply);
}

TEST_F(ControlServerTest, at_the_end_what_is_open_is_answered_and_nothing_is_left) {
  serve();
  run.submit_later = true;
  auto waiting = peer(), idle = peer();
  EXPECT_EQ(idle.ask(kStatusLine), kStatusReply);
  waiting.send(kSubmit + "\n");
  ASSERT_TRUE(run_until(loop, [&] { return run.submitted.size() == 1; }));
  server->close();
  EXPECT_EQ(refused(waiting.line()).error.message, "the run is over");
  EXPECT_TRUE(waiting.ends());
  EXPECT_TRUE(idle.ends());
  EXPECT_FALSE(std::filesystem::exists(folder / "control"));
  EXPECT_FALSE(peer().connected());
  loop.restart();
  loop.run();  // has nothing to wait for
  run.submitted[0](1);
  server.reset();
  run.submitted[0](1);
  EXPECT_EQ(run.calls.size(), 2U);
}

TEST_F(ControlServerTest, may_end_while_the_loop_has_still_work_of_it) {
  serve({.patience = std::chrono::hours(1)});
  auto half = peer();
  half.send("half");
  poll_once(loop);
  server.reset();
  EXPECT_TRUE(half.ends());
}

// A run that is cancelled may be over before the call of it returns.
TEST_F(ControlServerTest, may_be_closed_by_the_run_that_it_calls) {
  struct Ending final : RunControl {
    std::string status() const override { return "{}"; }
    Status cancel(const std::string&) override {
      server->close();
      return {};
    }
    Status suspend(const std::string&) override { return {}; }
    Status resume(const std::string&) override { return {}; }
    void submit(const std::string&, const std::vector<std::string>&, Submitted) override {}
    std::string settings() const override { return "{}"; }
    Status set(const std::string&, const std::string&) override { return {}; }
    Status worker(const std::string&, WorkerOrder) override { return {}; }
    ControlServer* server = nullptr;
  } ending;
  server = std::make_unique<ControlServer>(loop, folder.path(), ending);
  ending.server = server.get();
  auto client = peer();
  EXPECT_EQ(refused(client.ask(R"({"v":1,"op":"cancel"})")).error.message, "the run is over");
  EXPECT_TRUE(client.ends());
}

TEST_F(ControlServerTest, the_socket_is_for_its_owner_alone_whatever_the_umask) {
  const auto before = ::umask(0);
  serve();
  ::umask(before);
  struct stat found {};
  ASSERT_EQ(::stat((folder / "control").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600U);
}

TEST_F(ControlServerTest, another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  serve();
  // Somebody opened the way that the modes keep shut.
  ASSERT_EQ(::chmod((folder / "control").c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const auto child = ::fork();
  if (child == 0) {
    // One that asks, and hands on what it hears.
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(1);
    const auto stranger = control::connect_in(folder.path());
    if (!stranger) ::_exit(2);
    ::fcntl(stranger->get(), F_SETFL, 0);
    (void)!::send(stranger->get(), kStatusLine.data(), kStatusLine.size(), MSG_NOSIGNAL);
    char buffer[4096];
    for (ssize_t got; (got = ::recv(stranger->get(), buffer, sizeof buffer, 0)) > 0;)
      if (!write_all(writer.get(), {buffer, static_cast<std::size_t>(got)})) ::_exit(3);
    ::_exit(0);
  }
  writer.reset();
  int status = -1;
  ASSERT_TRUE(run_until(loop, [&] { return ::waitpid(child, &status, WNOHANG) == child; }));
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 1) GTEST_SKIP() << "there is no user 65534 here";
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "another user has no way to the folder of the test";
  ASSERT_EQ(WEXITSTATUS(status), 0);
  char buffer[4096];
  const auto got = ::read(reader.get(), buffer, sizeof buffer);
  ASSERT_GT(got, 0);
  EXPECT_EQ(refused(std::string(buffer, static_cast<std::size_t>(got))).error.message,
            "this run belongs to another user");
  EXPECT_TRUE(run.calls.empty());
}

TEST_F(ControlServerTest, a_folder_may_have_a_long_name) {
  const auto deep = folder / (std::string(200, 'a') + "/" + std::string(200, 'b'));
  std::filesystem::create_directories(deep);
  const ControlServer far(loop, deep, run);
  ASSERT_TRUE(far.listening());
  EXPECT_EQ(Peer(loop, deep).ask(kStatusLine), kStatusReply);
}

TEST_F(ControlServerTest, what_a_killed_weir_left_is_in_nobodys_way) {
  { const auto killed = control::listen_in(folder.path()); }  // the file stays
  ASSERT_TRUE(std::filesystem::exists(folder / "control"));
  const auto refused_by = control::connect_in(folder.path());
  ASSERT_FALSE(refused_by);
  EXPECT_EQ(refused_by.error().reason, Reason::not_found);
  serve();
  EXPECT_EQ(ask(kStatusLine), kStatusReply);
}

TEST_F(ControlServerTest, where_it_cannot_listen_it_says_so_and_is_harmless) {
  ControlServer nowhere(loop, folder / "missing", run);
  ASSERT_FALSE(nowhere.listening());
  EXPECT_NE(nowhere.listening().error().message.find("No such file"), std::string::npos);
  std::filesystem::create_directories(folder / "control/taken");
  ControlServer taken(loop, folder.path(), run);
  EXPECT_FALSE(taken.listening());
  taken.close();
  EXPECT_TRUE(std::filesystem::exists(folder / "control/taken"));
}

TEST_F(ControlServerTest, no_descriptor_of_it_is_inherited) {
  serve();
  auto client = peer();
  EXPECT_EQ(client.ask(kStatusLine), kStatusReply);
  std::size_t sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    struct stat found {};
    if (::fstat(fd, &found) != 0 || !S_ISSOCK(found.st_mode)) continue;
    sockaddr_un address{};
    socklen_t size = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || address.sun_family != AF_UNIX)
      continue;
    if (std::string_view(address.sun_path).find("/control") == std::string_view::npos) continue;
    ++sockets;
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_EQ(sockets, 2U);  // the one that listens and the one that was accepted
}

TEST_F(ControlServerTest, without_descriptors_it_waits_instead_of_spinning) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, and here there is no descriptor for one";
#endif
  serve();
  auto client = peer();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const UniqueFd lowest(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const rlimit none{static_cast<rlim_t>(lowest.get()), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  client.send(kStatusLine + "\n");
  std::size_t handlers = 0;
  for (int i = 0; i < 1000; ++i) handlers += poll_once(loop);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_LT(handlers, 100U) << "it tries once in a second, and one that spins each time";
  EXPECT_EQ(client.line(), kStatusReply);
}

}  // namespace
}  // namespace weir
