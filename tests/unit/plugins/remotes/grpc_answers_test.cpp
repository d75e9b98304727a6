// The remote `grpc` and what servers may answer: a real nginx with answers to some calls, alone or in front
// of Bazel's worker.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <optional>

#include "tests/support/nginx.h"
#include "tests/support/reapi_server.h"
#include "tests/support/remote_probe.h"

namespace weir {
namespace {

constexpr std::string_view kCapabilities = "/build.bazel.remote.execution.v2.Capabilities/GetCapabilities";
constexpr std::string_view kReadBatch =
    "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchReadBlobs";
constexpr std::string_view kUpdateBatch =
    "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchUpdateBlobs";
constexpr std::string_view kRead = "/google.bytestream.ByteStream/Read";
constexpr std::string_view kWrite = "/google.bytestream.ByteStream/Write";
constexpr std::string_view kGetRecord = "/build.bazel.remote.execution.v2.ActionCache/GetActionResult";

// ---- messages, as they are on the line

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string bytes(int field, std::string_view value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) + std::string(value);
}
// With the head that gRPC puts before each.
std::string framed(std::string_view message) {
  std::string head(5, '\0');
  for (int i = 0; i < 4; ++i)
    head[static_cast<std::size_t>(4 - i)] = static_cast<char>(message.size() >> (8 * i));
  return head + std::string(message);
}

std::string digest_of_content(std::string_view content) {
  const auto name = name_of(content);
  return bytes(1, {name.hash.data(), name.hash.size()}) + number(2, name.size);
}
std::string read_answer(std::string_view content, std::string_view data, int code = 0) {
  return bytes(1, bytes(1, digest_of_content(content)) + bytes(2, data) +
                      bytes(3, number(1, static_cast<std::uint64_t>(code))));
}
std::string capabilities(int function, bool takes_records, std::uint64_t longest_batch) {
  return bytes(1, number(1, static_cast<std::uint64_t>(function)) +
                      bytes(2, takes_records ? number(1, 1) : "") + number(4, longest_batch));
}

// ---- the server in front

class Front {
 public:
  // No more than a status. Codes that HTTP has are told as HTTP does.
  void answer(std::string_view method, int code, std::string_view message) {
    locations_ += fmt::format(
        "location = {} {{ default_type application/grpc; add_header grpc-status {} always; "
        "add_header grpc-message \"{}\" always; return 204; }}\n",
        method, code, message);
  }
  void answer(std::string_view method, std::string message) {
    locations_ += fmt::format(
        "location = {0} {{ default_type application/grpc; add_trailer grpc-status 0; error_page 405 =200 "
        "{0}; }}\n",
        method);
    files_.emplace_back(method, std::move(message));
  }
  void forward(std::string_view method, int port) {
    locations_ += fmt::format("location = {} {{ grpc_pass grpc://127.0.0.1:{}; grpc_read_timeout 1h; }}\n",
                              method, port);
  }
  // Forwards all other calls to `server`. Without it they are answered with UNIMPLEMENTED.
  void behind(const ReapiServer& server) {
    rest_ = fmt::format("grpc_pass grpc://127.0.0.1:{};", server.port());
  }
  void want_token(std::string_view token) {
    checks_ += fmt::format("if ($http_authorization != \"Bearer {}\") {{ return 401; }}\n", token);
  }

  // A dot in the name of a header, as REAPI has it, is invalid to nginx.
  std::string start() {
    port_.emplace();
    secure_port_.emplace();
    nginx_ = std::make_unique<Nginx>(
        fmt::format("listen 127.0.0.1:{} http2 reuseport; listen 127.0.0.1:{} ssl http2 reuseport; "
                    "ssl_certificate certificate.pem; ssl_certificate_key key.pem;\n"
                    "ignore_invalid_headers off; access_log access.log; "
                    "client_max_body_size 0; {}\n{}location / {{ {} }}",
                    port_->number(), secure_port_->number(), checks_, locations_, rest_));
    for (const auto& [method, message] : files_) nginx_->put(std::string(method), framed(message));
    return fmt::format("grpc://127.0.0.1:{}", port_->number());
  }
  bool running() const { return nginx_->running(); }
  std::string secure_url() const { return fmt::format("grpcs://127.0.0.1:{}", secure_port_->number()); }
  std::string certificate() const { return nginx_->folder / "certificate.pem"; }
  std::size_t calls(std::string_view method) const {
    const auto log = nginx_->folder.read("access.log");
    std::size_t count = 0;
    for (auto at = log.find(method); at != log.npos; at = log.find(method, at + 1)) ++count;
    return count;
  }

 private:
  std::string rest_ = "default_type application/grpc; add_header grpc-status 12 always; return 204;";
  std::string checks_;
  std::string locations_;
  std::vector<std::pair<std::string, std::string>> files_;
  // Kept, or those that Nginx reserves for itself could be the same.
  std::optional<ReservedPort> port_, secure_port_;
  std::unique_ptr<Nginx> nginx_;
};

class GrpcAnswers : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = enter_private_network(); !reason.empty()) GTEST_SKIP() << reason;
  }
  Front front_;
};

class GrpcBehindProxy : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = ReapiServer::why_not(); !reason.empty()) GTEST_SKIP() << reason;
    if (!server_) server_ = std::make_unique<ReapiServer>();
    ASSERT_TRUE(server_->running()) << server_->log();
    front_.behind(*server_);
  }
  static void TearDownTestSuite() { server_.reset(); }

  static std::unique_ptr<ReapiServer> server_;
  Front front_;
};
std::unique_ptr<ReapiServer> GrpcBehindProxy::server_;

// A machine that has other things to do is not what these tests are about.
RemoteAddress patient_probe(std::string url, std::string token = {}, std::string ca = {}) {
  return {std::move(url), std::move(token), std::move(ca), std::chrono::minutes(1)};
}

TEST_F(GrpcAnswers, who_is_not_allowed_is_refused_and_told_so) {
  front_.answer(kCapabilities, 7, "not you");
  RemoteProbe probe(patient_probe(front_.start()));
  const auto answer = probe.put("x");
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused);
  EXPECT_EQ(answer.message, "the server answered PERMISSION_DENIED: not you");
}

TEST_F(GrpcAnswers, an_unknown_instance_is_refused_rather_than_empty) {
  front_.answer(kCapabilities, 5, "no such instance");
  RemoteProbe probe(patient_probe(front_.start()));
  EXPECT_EQ(probe.get(name_of("x")).outcome, RemoteOutcome::refused);
}

TEST_F(GrpcBehindProxy, a_server_without_capabilities_is_taken_as_it_is) {
  front_.answer(kCapabilities, 12, "");
  RemoteProbe probe(patient_probe(front_.start()));
  EXPECT_EQ(probe.put("told nothing").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get(name_of("told nothing")).bytes, "told nothing");
}

TEST_F(GrpcAnswers, a_server_that_is_busy_at_first_is_asked_again) {
  front_.answer(kCapabilities, 14, "later");
  RemoteProbe probe(patient_probe(front_.start()));
  EXPECT_EQ(probe.put("x").outcome, RemoteOutcome::trouble);
  EXPECT_EQ(probe.put("x").outcome, RemoteOutcome::trouble);
  EXPECT_TRUE(eventually([&] { return front_.calls(kCapabilities) == 2; }));
}

TEST_F(GrpcAnswers, a_server_without_sha256_is_of_no_use) {
  front_.answer(kCapabilities, capabilities(2, true, 0));
  RemoteProbe probe(patient_probe(front_.start()));
  const auto answer = probe.has({name_of("x")});
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused);
  EXPECT_NE(answer.message.find("SHA256"), std::string::npos) << answer.message;
}

TEST_F(GrpcBehindProxy, a_server_that_takes_no_records) {
  front_.answer(kCapabilities, capabilities(1, false, 0));
  RemoteProbe probe(patient_probe(front_.start()));
  const auto answer = probe.put_record(name_of("key"), "");
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused);
  EXPECT_EQ(answer.message, "the server takes no records from here");
  EXPECT_EQ(probe.put("but blobs").outcome, RemoteOutcome::done);
}

TEST_F(GrpcBehindProxy, batches_are_as_small_as_the_server_wants_them) {
  front_.answer(kCapabilities, capabilities(1, true, 1000));
  RemoteProbe probe(patient_probe(front_.start()));
  std::vector<std::pair<UniqueFd, std::uint64_t>> running;
  for (int i = 0; i < 10; ++i) {
    const auto content = fmt::format("{:0>400}", i);
    UniqueFd file(::memfd_create("content", MFD_CLOEXEC));
    write_all(file.get(), content);
    const auto operation = probe.start(RemoteAction::put, {name_of(content)}, file.get(), 0);
    running.emplace_back(std::move(file), operation);
  }
  for (const auto& [file, operation] : running) EXPECT_EQ(probe.wait(operation).outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.put(std::string(1500, 'x')).outcome, RemoteOutcome::done);
  EXPECT_TRUE(eventually([&] { return front_.calls(kWrite) == 1; }))
      << "what is larger than a batch goes alone";
  EXPECT_TRUE(eventually([&] { return front_.calls(kUpdateBatch) == 10; }))
      << "no two of 400 bytes and what is around them fit into 1000";
}

TEST_F(GrpcAnswers, each_blob_of_a_batch_has_an_end_of_its_own) {
  front_.answer(kReadBatch, read_answer("there", "there") + read_answer("not there", "", 5) +
                                read_answer("cut off", "cut") + read_answer("busy", "", 14) +
                                read_answer("nobody asked", "nobody asked"));
  RemoteProbe probe(patient_probe(front_.start()));
  const std::vector<std::string> contents{"there", "not there", "cut off", "busy", "not mentioned"};
  std::vector<UniqueFd> files;
  std::vector<std::uint64_t> running;
  for (const auto& content : contents) {
    files.emplace_back(::memfd_create("content", MFD_CLOEXEC));
    running.push_back(probe.start(RemoteAction::get, {name_of(content)}, files.back().get(), 0));
  }
  EXPECT_EQ(probe.wait(running[0]).outcome, RemoteOutcome::done);
  EXPECT_EQ(::lseek(files[0].get(), 0, SEEK_END), 5);
  EXPECT_EQ(probe.wait(running[1]).outcome, RemoteOutcome::missing);
  EXPECT_EQ(probe.wait(running[2]).message, "the server sent 3 bytes of a blob of 7");
  EXPECT_EQ(probe.wait(running[3]).message, "the server answered UNAVAILABLE");
  EXPECT_EQ(probe.wait(running[4]).message, "the server's answer says nothing of this blob");
}

TEST_F(GrpcAnswers, a_batch_that_makes_no_sense) {
  front_.answer(kReadBatch, std::string("\xff\xff\xff\xff"));
  RemoteProbe probe(patient_probe(front_.start()));
  EXPECT_EQ(probe.get(name_of("x")).outcome, RemoteOutcome::trouble);
}

TEST_F(GrpcBehindProxy, a_server_without_batches_gets_small_blobs_one_by_one) {
  front_.answer(kUpdateBatch, 12, "");
  RemoteProbe probe(patient_probe(front_.start()));
  EXPECT_EQ(probe.put("alone").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.put("alone too").outcome, RemoteOutcome::done);
  EXPECT_TRUE(eventually([&] { return front_.calls(kWrite) == 2; }));
  EXPECT_EQ(front_.calls(kUpdateBatch), 1u) << "it is not asked again";
}

TEST_F(GrpcAnswers, a_blob_that_is_shorter_or_longer_than_it_says) {
  front_.answer(kRead, bytes(10, std::string(300'000, 'x')));
  RemoteProbe probe(patient_probe(front_.start()));
  const auto shorter = probe.get(name_of(std::string(300'001, 'x')));
  EXPECT_EQ(shorter.outcome, RemoteOutcome::missing) << "as it would be if it was asked again";
  EXPECT_EQ(shorter.message, "truncated: 300000 of 300001 bytes came");
  const auto longer = probe.get(name_of(std::string(299'999, 'x')));
  EXPECT_EQ(longer.outcome, RemoteOutcome::missing);
  EXPECT_EQ(longer.bytes, "");
}

TEST_F(GrpcAnswers, a_server_that_takes_less_than_all) {
  front_.answer(kWrite, number(1, 1000));
  RemoteProbe probe(patient_probe(front_.start()));
  EXPECT_EQ(probe.put(std::string(300'000, 'x')).message, "the server took 1000 of 300000 bytes");
}

TEST_F(GrpcAnswers, one_record_that_cannot_be_asked_for_spoils_the_question) {
  front_.answer(kGetRecord, 8, "slow down");
  RemoteProbe probe(patient_probe(front_.start()));
  const auto answer = probe.has_record(std::vector<RemoteName>(100, name_of("x")));
  EXPECT_EQ(answer.outcome, RemoteOutcome::trouble);
  EXPECT_TRUE(answer.there.empty());
}

TEST_F(GrpcBehindProxy, one_of_a_batch_is_cancelled_and_the_others_wait_on) {
  ReapiServer mortal;  // stopped, so that the batch stays under way
  ASSERT_TRUE(mortal.running()) << mortal.log();
  mortal.pause();
  front_.forward(kUpdateBatch, mortal.port());
  RemoteProbe probe(patient_probe(front_.start()));
  const UniqueFd file(::memfd_create("content", MFD_CLOEXEC));
  write_all(file.get(), "abc");
  const auto first = probe.start(RemoteAction::put, {name_of("abc")}, file.get(), 0);
  const auto second = probe.start(RemoteAction::put, {name_of("abc")}, file.get(), 0);
  EXPECT_EQ(probe.has({name_of("abc")}).outcome, RemoteOutcome::done) << "by now both are in a batch";
  probe.cancel(first);
  EXPECT_EQ(probe.wait(first).outcome, RemoteOutcome::cancelled);
  mortal.resume();
  EXPECT_EQ(probe.wait(second).outcome, RemoteOutcome::done);
}

TEST_F(GrpcBehindProxy, the_token_is_sent_with_every_call) {
  front_.want_token("secret");
  const auto url = front_.start();
  const auto refused = RemoteProbe(patient_probe(url, "wrong")).put("x");
  EXPECT_EQ(refused.outcome, RemoteOutcome::refused);
  EXPECT_NE(refused.message.find("UNAUTHENTICATED"), std::string::npos) << refused.message;
  EXPECT_EQ(refused.message.find("wrong"), std::string::npos);
  RemoteProbe probe(patient_probe(url, "secret"));
  const std::string large(300'000, 'x');
  EXPECT_EQ(probe.put("with a token").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.put(large).outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get(name_of(large)).outcome, RemoteOutcome::done);
}

TEST_F(GrpcBehindProxy, a_certificate_is_trusted_only_if_weir_was_told_to) {
  front_.start();
  RemoteProbe trusting(patient_probe(front_.secure_url(), {}, front_.certificate()));
  const auto put = trusting.put("by TLS");
  EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_EQ(trusting.get(name_of("by TLS")).bytes, "by TLS");
  EXPECT_EQ(RemoteProbe(patient_probe(front_.secure_url())).put("x").outcome, RemoteOutcome::trouble);
}

}  // namespace
}  // namespace weir
