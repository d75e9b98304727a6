// The remote `grpc` against Bazel's own server.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fmt/format.h>

#include "tests/support/reapi_server.h"
#include "tests/support/remote_probe.h"

namespace weir {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;

class GrpcRemote : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = ReapiServer::why_not(); !reason.empty()) GTEST_SKIP() << reason;
    if (!server_) server_ = std::make_unique<ReapiServer>();
    ASSERT_TRUE(server_->running()) << server_->log();
  }
  static void TearDownTestSuite() { server_.reset(); }

  static std::unique_ptr<ReapiServer> server_;
};
std::unique_ptr<ReapiServer> GrpcRemote::server_;

class GrpcRemoteWithoutServer : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = enter_private_network(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

// A machine that has other things to do is not what these tests are about.
RemoteAddress patient(std::string url) { return {std::move(url), {}, {}, std::chrono::minutes(1)}; }

UniqueFd file_with(std::string_view content) {
  UniqueFd file(::memfd_create("content", MFD_CLOEXEC));
  write_all(file.get(), content);
  return file;
}
std::string content_of(int fd) {
  std::string text(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  return ::pread(fd, text.data(), text.size(), 0) < 0 ? std::string() : text;
}

// Larger than what goes through in the time of a test.
constexpr std::uint64_t kHuge = 64ull << 30;
UniqueFd huge_file() {
  UniqueFd file(::memfd_create("huge", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(file.get(), kHuge), 0);
  return file;
}

std::string text_of_size(std::size_t size) {
  std::string text(size, '\0');
  std::uint64_t state = size;
  for (auto& c : text)
    c = static_cast<char>((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
  return text;
}

RemoteName key_of(std::string_view document) { return name_of(document); }
// An ActionResult with `exit_code` 7 and `stdout_raw`.
std::string record_saying(const std::string& text) {
  return std::string("\x20\x07\x2a") + static_cast<char>(text.size()) + text;
}

// Takes connections, and never says a word.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    ::listen(socket_.get(), 16);
    port_ = ntohs(address.sin_port);
  }
  RemoteAddress address() const {
    return {fmt::format("grpc://127.0.0.1:{}", port_), {}, {}, std::chrono::minutes(5)};
  }

 private:
  UniqueFd socket_;
  int port_ = 0;
};

TEST_F(GrpcRemote, small_blobs_go_there_and_back) {
  RemoteProbe probe(patient(server_->url()));
  EXPECT_EQ(probe.get(name_of("never put there")).outcome, RemoteOutcome::missing);
  const auto put = probe.put("small");
  EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_EQ(put.moved, 5u);
  const auto got = probe.get(name_of("small"));
  EXPECT_EQ(got.outcome, RemoteOutcome::done) << got.message;
  EXPECT_EQ(got.bytes, "small");
  EXPECT_EQ(got.moved, 5u);
  EXPECT_EQ(probe.put("small").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.has({name_of("small"), name_of("never put there"), name_of("")}).there,
            (std::vector<bool>{true, false, true}));
}

TEST_F(GrpcRemote, large_blobs_go_in_pieces) {
  RemoteProbe probe(patient(server_->url("an/instance")));
  const auto content = text_of_size(64 * kMegabyte + 17);
  const auto name = name_of(content);
  const auto put = probe.put(name, content);
  ASSERT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_GT(put.moved, 60 * kMegabyte);
  const auto got = probe.get(name);
  ASSERT_EQ(got.outcome, RemoteOutcome::done) << got.message;
  EXPECT_EQ(got.moved, content.size());
  EXPECT_TRUE(got.bytes == content);
  EXPECT_EQ(probe.put(name, content).outcome, RemoteOutcome::done)
      << "it is there, and the server says so before all is sent";
  EXPECT_EQ(probe.get(name_of(content.substr(1))).outcome, RemoteOutcome::missing);
}

TEST_F(GrpcRemote, blobs_around_the_size_of_a_batch_and_of_a_piece_are_whole) {
  RemoteProbe probe(patient(server_->url()));
  for (const auto size : {262143, 262144, 262145, 524287, 524288, 524289}) {
    const auto content = text_of_size(static_cast<std::size_t>(size));
    EXPECT_EQ(probe.put(content).outcome, RemoteOutcome::done) << size;
    EXPECT_TRUE(probe.get(name_of(content)).bytes == content) << size;
  }
}

TEST_F(GrpcRemote, a_thousand_blobs_at_once) {
  RemoteProbe probe(patient(server_->url()));
  std::vector<std::string> contents;
  for (int i = 0; i < 1000; ++i)
    contents.push_back(fmt::format("blob {} ", i) + std::string(static_cast<std::size_t>(i) * 20, 'x'));
  std::vector<std::pair<UniqueFd, std::uint64_t>> running;
  const auto start_all = [&](RemoteAction action) {
    running.clear();
    for (const auto& content : contents) {
      auto file = file_with(action == RemoteAction::put ? content : "");
      const auto operation = probe.start(action, {name_of(content)}, file.get(), 0);
      running.emplace_back(std::move(file), operation);
    }
  };
  start_all(RemoteAction::put);
  for (const auto& [file, operation] : running) EXPECT_EQ(probe.wait(operation).outcome, RemoteOutcome::done);
  start_all(RemoteAction::get);
  for (std::size_t i = 0; i < running.size(); ++i) {
    EXPECT_EQ(probe.wait(running[i].second).outcome, RemoteOutcome::done);
    EXPECT_EQ(content_of(running[i].first.get()), contents[i]);
  }
}

TEST_F(GrpcRemote, the_same_blob_for_several_operations) {
  RemoteProbe probe(patient(server_->url()));
  const auto file = file_with("wanted by many");
  std::vector<std::uint64_t> running;
  for (int i = 0; i < 20; ++i)
    running.push_back(probe.start(RemoteAction::put, {name_of("wanted by many")}, file.get(), 0));
  for (const auto operation : running) EXPECT_EQ(probe.wait(operation).outcome, RemoteOutcome::done);
}

TEST_F(GrpcRemote, a_question_about_more_than_one_call_takes) {
  RemoteProbe probe(patient(server_->url()));
  EXPECT_EQ(probe.put("the first").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.put("the last").outcome, RemoteOutcome::done);
  std::vector<RemoteName> names{name_of("the first")};
  for (int i = 0; i < 25'000; ++i) names.push_back(name_of(fmt::format("nobody has {}", i)));
  names.push_back(name_of("the last"));
  const auto answer = probe.has(names);
  ASSERT_EQ(answer.outcome, RemoteOutcome::done) << answer.message;
  ASSERT_EQ(answer.there.size(), names.size());
  EXPECT_TRUE(answer.there.front());
  EXPECT_TRUE(answer.there.back());
  EXPECT_EQ(std::count(answer.there.begin(), answer.there.end(), true), 2);
  EXPECT_EQ(probe.has({}).outcome, RemoteOutcome::done) << "nor about nothing";
  EXPECT_EQ(probe.has_record({}).outcome, RemoteOutcome::done);
}

TEST_F(GrpcRemote, records_go_there_and_back) {
  RemoteProbe probe(patient(server_->url()));
  const auto key = key_of("what an artifact is made of");
  EXPECT_EQ(probe.get_record(key).outcome, RemoteOutcome::missing);
  const auto put = probe.put_record(key, record_saying("the record"));
  EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_NE(probe.get_record(key).bytes.find("the record"), std::string::npos)
      << "it may have more than was put there";
  std::vector<RemoteName> keys(100, key_of("nobody has it"));
  keys[63] = key;
  std::vector<bool> expected(100, false);
  expected[63] = true;
  EXPECT_EQ(probe.has_record(keys).there, expected);
}

TEST_F(GrpcRemote, a_record_that_is_longer_than_weir_takes) {
  RemoteProbe probe(patient(server_->url()));
  const auto key = key_of("a long one");
  EXPECT_EQ(probe.put_record(key, record_saying("more than ten bytes")).outcome, RemoteOutcome::done);
  const auto got = probe.get_record(key, 10);
  EXPECT_EQ(got.outcome, RemoteOutcome::trouble);
  EXPECT_EQ(got.bytes, "");
}

TEST_F(GrpcRemote, content_that_is_not_what_its_name_says_is_refused_by_the_server) {
  RemoteProbe probe(patient(server_->url()));
  const auto answer = probe.put(name_of("honest"), "liar!!");
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused);
  EXPECT_NE(answer.message.find("the server answered INVALID_ARGUMENT"), std::string::npos) << answer.message;
}

TEST_F(GrpcRemote, a_file_that_is_too_short_is_trouble) {
  RemoteProbe probe(patient(server_->url()));
  EXPECT_EQ(probe.put(name_of("ten bytes!"), "nine byte").outcome, RemoteOutcome::trouble);
  EXPECT_EQ(probe.put(name_of(std::string(kMegabyte, 'x')), std::string(kMegabyte - 1, 'x')).outcome,
            RemoteOutcome::trouble);
}

TEST_F(GrpcRemote, a_file_that_cannot_be_written_is_trouble) {
  RemoteProbe probe(patient(server_->url()));
  const UniqueFd read_only(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (const auto& content : {std::string("small"), text_of_size(kMegabyte)}) {
    EXPECT_EQ(probe.put(content).outcome, RemoteOutcome::done);
    const auto answer = probe.wait(probe.start(RemoteAction::get, {name_of(content)}, read_only.get(), 0));
    EXPECT_EQ(answer.outcome, RemoteOutcome::trouble);
    EXPECT_NE(answer.message.find("Bad file descriptor"), std::string::npos) << answer.message;
  }
}

TEST_F(GrpcRemote, a_transfer_under_way_is_cancelled) {
  RemoteProbe probe(patient(server_->url()));
  const auto file = huge_file();
  const auto operation =
      probe.start(RemoteAction::put, {remote_name(store::digest_of("huge").hash, kHuge)}, file.get(), 0);
  ASSERT_TRUE(eventually([&] { return server_->uploading() > kMegabyte; }));
  probe.cancel(operation);
  EXPECT_EQ(probe.wait(operation).outcome, RemoteOutcome::cancelled);
  EXPECT_EQ(probe.put("others go on").outcome, RemoteOutcome::done);
}

TEST_F(GrpcRemote, a_server_that_dies_is_trouble_for_what_is_under_way) {
  ReapiServer mortal;
  ASSERT_TRUE(mortal.running()) << mortal.log();
  RemoteProbe probe(patient(mortal.url()));
  const auto file = huge_file();
  const auto operation =
      probe.start(RemoteAction::put, {remote_name(store::digest_of("huge").hash, kHuge)}, file.get(), 0);
  ASSERT_TRUE(eventually([&] { return mortal.uploading() > kMegabyte; }));
  mortal.kill();
  EXPECT_EQ(probe.wait(operation).outcome, RemoteOutcome::trouble);
  EXPECT_EQ(probe.put("too late").outcome, RemoteOutcome::trouble);
}

TEST_F(GrpcRemote, closed_while_transfers_are_under_way) {
  const auto file = huge_file();
  auto probe = std::make_unique<RemoteProbe>(patient(server_->url()));
  probe->start(RemoteAction::put, {remote_name(store::digest_of("huge").hash, kHuge)}, file.get(), 0);
  ASSERT_TRUE(eventually([&] { return server_->uploading() > kMegabyte; }));
  probe.reset();
}

TEST_F(GrpcRemoteWithoutServer, the_empty_blob_needs_no_server) {
  RemoteProbe probe("grpc://127.0.0.1:1");
  EXPECT_EQ(probe.put("").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get(name_of("")).outcome, RemoteOutcome::done);
}

TEST_F(GrpcRemoteWithoutServer, nobody_listens) {
  // Whoever waited for the connection would wait for longer than the probe does.
  RemoteProbe probe(RemoteAddress{
      fmt::format("grpc://127.0.0.1:{}", free_port_of_private_network()), {}, {}, std::chrono::hours(1)});
  for (int i = 0; i < 3; ++i) {
    const auto answer = probe.put("anything");
    EXPECT_EQ(answer.outcome, RemoteOutcome::trouble);
    EXPECT_NE(answer.message.find("UNAVAILABLE"), std::string::npos) << answer.message;
  }
}

TEST_F(GrpcRemoteWithoutServer, cancelled_while_the_server_is_silent) {
  const SilentServer server;
  RemoteProbe probe(server.address());
  const auto file = file_with("");
  std::vector<std::uint64_t> running;
  for (const auto action :
       {RemoteAction::get, RemoteAction::get_record, RemoteAction::has, RemoteAction::has_record})
    running.push_back(probe.start(action, {name_of("x")}, file.get(), 1));
  probe.cancel(123456);  // nobody
  for (const auto operation : running) probe.cancel(operation);
  for (const auto operation : running) EXPECT_EQ(probe.wait(operation).outcome, RemoteOutcome::cancelled);
  probe.cancel(running.front());  // it has ended
}

TEST_F(GrpcRemoteWithoutServer, closed_while_the_server_is_silent) {
  const SilentServer server;
  const auto file = file_with("");
  RemoteProbe probe(server.address());
  for (int i = 0; i < 100; ++i) probe.start(RemoteAction::get, {name_of("x")}, file.get(), 0);
}

TEST_F(GrpcRemoteWithoutServer, opened_and_closed_without_a_word) {
  RemoteProbe probe("grpc://127.0.0.1:1/x");
  EXPECT_TRUE(probe.is_open());
  probe.cancel(1);
}

TEST_F(GrpcRemoteWithoutServer, urls_that_are_wrong) {
  for (const auto* url : {"grpc://host", "grpc://host/instance", "grpc://:80", "grpc://host:",
                          "grpc://host:x", "grpc://host:0", "grpc://host:65536", "grpc://[::1]/x", "grpcs://",
                          "grpcs:///x", "grpc://user@host:1", "grpc://user:word@host:1/x",
                          "grpc://host:1/x?a=b", "grpc://host:1/x#y", "grpc://ho st:1", "grpc:/host:1"}) {
    RemoteProbe probe(url);
    EXPECT_FALSE(probe.is_open()) << url;
    EXPECT_EQ(probe.error().message.find("word"), std::string::npos) << "a password is not repeated";
  }
  for (const auto* url : {"grpc://host:1", "grpc://host:1/", "grpc://[::1]:1/a/b/", "grpcs://host",
                          "grpcs://host/x", "grpcs://[::1]:99"})
    EXPECT_TRUE(RemoteProbe(url).is_open()) << url;
}

TEST_F(GrpcRemoteWithoutServer, certificates_that_cannot_be_read) {
  EXPECT_FALSE(
      RemoteProbe(RemoteAddress{"grpcs://host", {}, "/nowhere/ca.pem", std::chrono::seconds(2)}).is_open());
}

}  // namespace
}  // namespace weir
