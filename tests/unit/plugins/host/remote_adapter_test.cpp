// What weir makes of what a remote tells. The remote is a table made by hand, whose submit a test chooses.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>

#include "plugins/host/adapters.h"
#include "plugins/host/guard.h"
#include "plugins/host/question.h"

struct weir_remote {
  const weir_remote_sink* sink;
};

namespace weir {
namespace {

std::function<void(weir_remote&, const weir_remote_request&)> submits;
std::string last_document;
int closed;

weir_status open_it(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                    const weir_reply*) {
  last_document.assign(document.data, document.size);
  *remote = new weir_remote{sink};
  return WEIR_OK;
}
void close_it(weir_remote* remote) {
  ++closed;
  delete remote;
}
void submit(weir_remote* remote, const weir_remote_request* request) { submits(*remote, *request); }
void cancel(weir_remote*, std::uint64_t) {}

weir_remote_v1 good_table() {
  return {{sizeof(weir_remote_v1), 3, 0, 0, view_of("foo"), {}},
          view_of(R"(["foo","foos"])"),
          4,
          0,
          open_it,
          close_it,
          submit,
          cancel};
}

Result<std::unique_ptr<RemoteKind>> adapted(const weir_remote_v1& table) {
  auto library = std::make_shared<PluginLibrary>();
  library->file = "/p/remote-foo.so";
  library->name = "example";
  library->version = "1.0";
  library->abi_major = 1;
  return adapt_remote(library, {PluginType::remote, "foo", {}, table.head.version, table});
}
std::string refusal(const weir_remote_v1& table) {
  const auto kind = adapted(table);
  return kind ? "none" : kind.error().message;
}
const char kTitle[] = "the plugin /p/remote-foo.so (example 1.0, ABI 1.0)";

struct Listener final : RemoteListener {
  void ended(std::uint64_t operation, RemoteEnd end) override { ends.emplace(operation, std::move(end)); }
  void moved(std::uint64_t operation, std::uint64_t bytes) override { bytes_of[operation] = bytes; }
  std::multimap<std::uint64_t, RemoteEnd> ends;
  std::map<std::uint64_t, std::uint64_t> bytes_of;
};

weir_remote_end end_with(std::uint32_t outcome, std::string_view message = {}, std::string_view there = {}) {
  return {sizeof(weir_remote_end), outcome, view_of(message), view_of(there), 0};
}
void tell(const weir_remote& remote, std::uint64_t operation, const weir_remote_end& end) {
  remote.sink->ended(remote.sink, operation, &end);
}

class RemoteAdapter : public testing::Test {
 protected:
  void SetUp() override {
    closed = 0;
    kind = std::move(adapted(good_table()).value());
    connection = kind->open({"foo://bar", "t", "/ca.pem", std::chrono::milliseconds(1500)}, listener).value();
  }
  void start(RemoteAction action, std::size_t names = 1) {
    const std::vector<RemoteName> all(names);
    connection->submit({action, ++operation, all, -1, 0});
  }
  // What weir hears of one operation that ends like this.
  RemoteEnd heard(RemoteAction action, std::size_t names, const weir_remote_end& end) {
    submits = [&](weir_remote& remote, const weir_remote_request& request) {
      tell(remote, request.operation, end);
    };
    start(action, names);
    EXPECT_EQ(listener.ends.count(operation), 1u);
    return listener.ends.find(operation)->second;
  }
  void expect_fault(const RemoteEnd& end, std::string_view message) {
    EXPECT_TRUE(end.fault);
    EXPECT_EQ(end.outcome, RemoteOutcome::refused);
    EXPECT_EQ(end.message, message);
    EXPECT_TRUE(end.there.empty());
  }

  Listener listener;
  std::unique_ptr<RemoteKind> kind;
  std::unique_ptr<RemoteConnection> connection;
  std::uint64_t operation = 0;
};

TEST_F(RemoteAdapter, the_table_is_what_weir_knows_of_the_kind) {
  EXPECT_EQ(kind->name(), "foo");
  EXPECT_EQ(kind->version(), 3u);
  EXPECT_EQ(kind->plugin(), "example");
  EXPECT_EQ(kind->schemes(), (std::vector<std::string>{"foo", "foos"}));
  EXPECT_EQ(kind->at_once(), 4u);
  EXPECT_EQ(last_document, R"({"ca":"/ca.pem","connect-timeout-ms":1500,"token":"t","url":"foo://bar"})");
}

TEST_F(RemoteAdapter, a_request_arrives_as_it_was_made) {
  submits = [&](weir_remote& remote, const weir_remote_request& request) {
    EXPECT_EQ(request.size, sizeof(weir_remote_request));
    EXPECT_EQ(request.action, WEIR_REMOTE_PUT_RECORD);
    ASSERT_EQ(request.blob_count, 1u);
    EXPECT_EQ(std::string(request.blobs->hash, 64), std::string(64, 'a'));
    EXPECT_EQ(request.blobs->size, 7u);
    EXPECT_EQ(request.fd, 5);
    EXPECT_EQ(request.length, 9u);
    tell(remote, request.operation, end_with(WEIR_REMOTE_DONE));
  };
  RemoteName name;
  name.hash.fill('a');
  name.size = 7;
  connection->submit({RemoteAction::put_record, 8, {&name, 1}, 5, 9});
  EXPECT_EQ(listener.ends.count(8), 1u);
}

TEST_F(RemoteAdapter, an_end_may_come_from_within_submit) {
  const auto end = heard(RemoteAction::get, 1, end_with(WEIR_REMOTE_MISSING));
  EXPECT_EQ(end.outcome, RemoteOutcome::missing);
  EXPECT_FALSE(end.fault);
}

TEST_F(RemoteAdapter, an_end_that_is_told_twice_is_heard_once) {
  submits = [](weir_remote& remote, const weir_remote_request& request) {
    tell(remote, request.operation, end_with(WEIR_REMOTE_DONE));
    tell(remote, request.operation, end_with(WEIR_REMOTE_TROUBLE));
  };
  start(RemoteAction::put);
  ASSERT_EQ(listener.ends.size(), 1u);
  EXPECT_EQ(listener.ends.begin()->second.outcome, RemoteOutcome::done);
}

TEST_F(RemoteAdapter, the_end_of_an_operation_that_never_was_is_not_heard) {
  submits = [](weir_remote& remote, const weir_remote_request& request) {
    tell(remote, request.operation + 1000, end_with(WEIR_REMOTE_DONE));
  };
  start(RemoteAction::put);
  EXPECT_TRUE(listener.ends.empty());
}

TEST_F(RemoteAdapter, an_outcome_that_is_none_is_a_fault) {
  expect_fault(heard(RemoteAction::get, 1, end_with(5)),
               std::string(kTitle) + ": 5 is no outcome of an operation");
  expect_fault(heard(RemoteAction::get, 1, end_with(UINT32_MAX)),
               std::string(kTitle) + ": 4294967295 is no outcome of an operation");
}

TEST_F(RemoteAdapter, a_mismatch_is_an_outcome_of_a_put_with_a_checksum_alone) {
  auto table = good_table();
  EXPECT_FALSE(kind->verifies_puts());
  table.head.flags = WEIR_REMOTE_VERIFIES;
  EXPECT_TRUE(adapted(table).value()->verifies_puts());
  const RemoteChecksum checksum{1, 2, 3};
  submits = [&](weir_remote& remote, const weir_remote_request& request) {
    if (request.checksum) {
      EXPECT_EQ(std::memcmp(request.checksum, checksum.data(), checksum.size()), 0);
    }
    tell(remote, request.operation, end_with(WEIR_REMOTE_MISMATCH));
  };
  const RemoteName name;
  connection->submit({RemoteAction::put, ++operation, {&name, 1}, -1, 0, &checksum});
  EXPECT_EQ(listener.ends.find(operation)->second.outcome, RemoteOutcome::mismatch);
  start(RemoteAction::put);
  expect_fault(listener.ends.find(operation)->second,
               std::string(kTitle) + ": 5 is no outcome of an operation");
}

TEST_F(RemoteAdapter, an_end_that_is_no_end_is_a_fault) {
  const auto message = std::string(kTitle) + ": the end of an operation is no weir_remote_end";
  auto small = end_with(WEIR_REMOTE_DONE);
  small.size = 8;
  expect_fault(heard(RemoteAction::get, 1, small), message);
  submits = [](weir_remote& remote, const weir_remote_request& request) {
    remote.sink->ended(remote.sink, request.operation, nullptr);
  };
  start(RemoteAction::get);
  expect_fault(listener.ends.find(operation)->second, message);
}

TEST_F(RemoteAdapter, which_are_there_is_told_of_each) {
  EXPECT_EQ(heard(RemoteAction::has, 3, end_with(WEIR_REMOTE_DONE, {}, "101")).there,
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(heard(RemoteAction::has_record, 1, end_with(WEIR_REMOTE_DONE, {}, "0")).there,
            std::vector<bool>{false});
  const auto told = [](int count) {
    return std::string(kTitle) + ": it was asked about 3 and told about " + std::to_string(count);
  };
  expect_fault(heard(RemoteAction::has, 3, end_with(WEIR_REMOTE_DONE, {}, "10")), told(2));
  expect_fault(heard(RemoteAction::has_record, 3, end_with(WEIR_REMOTE_DONE, {}, "1010")), told(4));
  expect_fault(heard(RemoteAction::has, 3, end_with(WEIR_REMOTE_DONE)), told(0));
  auto nowhere = end_with(WEIR_REMOTE_DONE);
  nowhere.there = {nullptr, 3};
  expect_fault(heard(RemoteAction::has, 3, nowhere), told(0));
}

TEST_F(RemoteAdapter, which_are_there_is_asked_of_a_has_that_is_done_alone) {
  const auto trouble = heard(RemoteAction::has, 3, end_with(WEIR_REMOTE_TROUBLE, "slow"));
  EXPECT_EQ(trouble.outcome, RemoteOutcome::trouble);
  EXPECT_FALSE(trouble.fault);
  EXPECT_TRUE(heard(RemoteAction::get, 1, end_with(WEIR_REMOTE_DONE, {}, "11")).there.empty());
}

TEST_F(RemoteAdapter, a_message_is_one_short_line_of_text) {
  EXPECT_EQ(
      heard(RemoteAction::get, 1, end_with(WEIR_REMOTE_TROUBLE, std::string_view("a\nb\x1b[31m\0c\x7f", 11)))
          .message,
      "a b [31m c ");
  EXPECT_EQ(heard(RemoteAction::get, 1, end_with(WEIR_REMOTE_TROUBLE, std::string(5000, 'x'))).message.size(),
            1000u);
  auto nowhere = end_with(WEIR_REMOTE_TROUBLE);
  nowhere.message = {nullptr, 100};
  EXPECT_EQ(heard(RemoteAction::get, 1, nowhere).message, "");
}

TEST_F(RemoteAdapter, nobody_is_told_to_wait_for_more_than_a_day) {
  auto end = end_with(WEIR_REMOTE_TROUBLE);
  end.retry_after_ms = 1500;
  EXPECT_EQ(heard(RemoteAction::get, 1, end).retry_after, std::chrono::milliseconds(1500));
  end.retry_after_ms = UINT64_MAX;
  EXPECT_EQ(heard(RemoteAction::get, 1, end).retry_after, std::chrono::hours(24));
}

TEST_F(RemoteAdapter, an_exception_out_of_submit_ends_the_operation_once) {
  submits = [](weir_remote&, const weir_remote_request&) { throw std::runtime_error("no"); };
  start(RemoteAction::put);
  expect_fault(listener.ends.find(operation)->second,
               std::string(kTitle) + ", asked to submit: threw an exception: no");
  submits = [](weir_remote& remote, const weir_remote_request& request) {
    tell(remote, request.operation, end_with(WEIR_REMOTE_DONE));
    throw std::runtime_error("no");
  };
  start(RemoteAction::put);
  ASSERT_EQ(listener.ends.count(operation), 1u);
  EXPECT_EQ(listener.ends.find(operation)->second.outcome, RemoteOutcome::done);
}

TEST_F(RemoteAdapter, progress_is_passed_on) {
  submits = [](weir_remote& remote, const weir_remote_request& request) {
    remote.sink->moved(remote.sink, request.operation, 1 << 18);
    tell(remote, request.operation, end_with(WEIR_REMOTE_DONE));
  };
  start(RemoteAction::get);
  EXPECT_EQ(listener.bytes_of[operation], 1u << 18);
}

// Two remotes of one plugin: the end of all that one does was taken for the end of all.
TEST_F(RemoteAdapter, what_one_does_is_known_whatever_another_of_its_plugin_does) {
  const auto running = [] { return running_operation("/p/remote-foo.so"); };
  submits = [](weir_remote&, const weir_remote_request&) {};
  EXPECT_EQ(running(), nullptr);
  start(RemoteAction::get);
  EXPECT_STREQ(running(), "get");
  const auto other = kind->open({"foo://other"}, listener).value();
  submits = [](weir_remote& remote, const weir_remote_request& request) {
    tell(remote, request.operation, end_with(WEIR_REMOTE_DONE));
  };
  const RemoteName name;
  other->submit({RemoteAction::get, 100, {&name, 1}, -1, 0});
  EXPECT_EQ(listener.ends.count(100), 1u);
  EXPECT_STREQ(running(), "get");
  connection.reset();
  EXPECT_EQ(running(), nullptr);
}

TEST_F(RemoteAdapter, it_is_closed_once) {
  connection.reset();
  EXPECT_EQ(closed, 1);
}

TEST(RemoteTable, schemes_are_a_list_of_names) {
  const auto told = [](std::string_view what) {
    return std::string(kTitle) + ": `schemes` of foo " + std::string(what);
  };
  auto table = good_table();
  table.schemes = view_of(R"("foo")");
  EXPECT_EQ(refusal(table), told("is no list of names"));
  table.schemes = view_of("[]");
  EXPECT_EQ(refusal(table), told("is empty"));
  table.schemes = {nullptr, 5};
  EXPECT_EQ(refusal(table), told("has 5 bytes"));
  table.schemes = {"", UINT64_MAX};
  EXPECT_EQ(refusal(table), told("has 18446744073709551615 bytes"));
}

TEST(RemoteTable, at_least_one_operation_is_of_use_and_not_any_number) {
  auto table = good_table();
  table.at_once = 0;
  EXPECT_EQ(adapted(table).value()->at_once(), 1u);
  table.at_once = UINT32_MAX;
  EXPECT_EQ(adapted(table).value()->at_once(), 1024u);
}

TEST(RemoteTable, one_that_opens_nothing_is_told) {
  auto table = good_table();
  table.open = [](weir_view, const weir_remote_sink*, weir_remote**, const weir_reply*) {
    return weir_status{WEIR_OK};
  };
  Listener listener;
  const auto opened = adapted(table).value()->open({}, listener);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, std::string(kTitle) + ", asked to open: made no remote");
}

TEST(RemoteTable, a_refusal_is_the_users_affair) {
  auto table = good_table();
  table.open = [](weir_view, const weir_remote_sink*, weir_remote**, const weir_reply* reply) {
    reply->complain(reply, view_of("url"), view_of("no host"), view_of("name one"));
    return weir_status{WEIR_REFUSED};
  };
  Listener listener;
  const auto opened = adapted(table).value()->open({}, listener);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().reason, Reason::project);
  EXPECT_EQ(opened.error().message, "no host");
}

}  // namespace
}  // namespace weir
