// What weir/remote.hpp makes of a class, seen from the border.
#include <weir/remote.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

namespace weir::sdk {
namespace {

std::optional<RemoteSettings> opened_with;
std::optional<Operation> submitted;

class Shelf {
 public:
  static constexpr std::string_view kind = "shelf";
  static constexpr std::uint32_t version = 2;
  static constexpr std::string_view schemes = R"(["shelf"])";
  static constexpr std::uint32_t at_once = 4;

  Shelf(const RemoteSettings& settings, RemoteSink sink) : sink_(sink) {
    if (settings.url.empty()) throw Refused{"no URL", "give one", "url"};
    opened_with = settings;
  }
  void submit(Operation operation) {
    if (operation.number == 13) throw std::runtime_error("full");
    if (operation.number == 14) throw 14;
    submitted = std::move(operation);
    sink_.moved(submitted->number, 3);
    sink_.ended(submitted->number, Ended::trouble("busy", 500));
  }
  void cancel(std::uint64_t) {}

 private:
  RemoteSink sink_;
};

struct Heard {
  std::uint64_t operation = 0, moved = 0, retry_after_ms = 0;
  std::uint32_t outcome = 99;
  std::string text;  // of a message or a complaint
};

class SdkRemote : public testing::Test {
 protected:
  weir_status open(std::string_view document) { return table.open(view(document), &sink, &remote, &reply); }
  void submit(std::uint64_t number, std::uint32_t action, const std::vector<weir_blob>& blobs) {
    const weir_remote_request request = {sizeof request, action, number, blobs.data(),
                                         blobs.size(),   7,      0,      20};
    table.submit(remote, &request);
  }
  ~SdkRemote() override {
    if (remote) table.close(remote);
  }

  const weir_remote_v1& table = RemoteTable<Shelf>::table;
  Heard heard;
  weir_remote_sink sink = {
      sizeof sink, 0, &heard,
      [](const weir_remote_sink* own, std::uint64_t operation, const weir_remote_end* end) {
        auto& to = *static_cast<Heard*>(own->host);
        to.operation = operation;
        to.outcome = end->outcome;
        to.text = text_of(end->message);
        to.retry_after_ms = end->retry_after_ms;
      },
      [](const weir_remote_sink* own, std::uint64_t, std::uint64_t bytes) {
        static_cast<Heard*>(own->host)->moved = bytes;
      }};
  weir_reply reply = {sizeof reply, 0, &heard, nullptr,
                      [](const weir_reply* own, weir_view path, weir_view message, weir_view) {
                        static_cast<Heard*>(own->host)->text =
                            std::string(text_of(path)) + ": " + std::string(text_of(message));
                      }};
  weir_remote* remote = nullptr;
};

TEST_F(SdkRemote, settings_are_those_of_the_document) {
  EXPECT_EQ(open(R"({"ca":"/c","connect-timeout-ms":5,"later":1,"token":"t","url":"shelf://x"})"), WEIR_OK);
  EXPECT_EQ(opened_with->url, "shelf://x");
  EXPECT_EQ(opened_with->token, "t");
  EXPECT_EQ(opened_with->ca, "/c");
  EXPECT_EQ(opened_with->connect_timeout_ms, 5u);
}

TEST_F(SdkRemote, a_timeout_that_is_none_is_the_usual_one) {
  EXPECT_EQ(open(R"({"connect-timeout-ms":-1,"url":"shelf://x"})"), WEIR_OK);
  EXPECT_EQ(opened_with->connect_timeout_ms, 2000u);
}

TEST_F(SdkRemote, a_constructor_may_refuse) {
  EXPECT_EQ(open("{}"), WEIR_REFUSED);
  EXPECT_EQ(heard.text, "url: no URL");
  EXPECT_EQ(remote, nullptr);
}

TEST_F(SdkRemote, an_operation_is_a_copy) {
  ASSERT_EQ(open(R"({"url":"shelf://x"})"), WEIR_OK);
  {
    std::vector<weir_blob> blobs(2);
    std::fill_n(blobs[0].hash, 64, 'a');
    std::fill_n(blobs[1].hash, 64, 'b');
    blobs[1].size = 9;
    submit(5, WEIR_REMOTE_HAS_RECORD, blobs);
  }
  EXPECT_EQ(submitted->action, Action::has_record);
  ASSERT_EQ(submitted->blobs.size(), 2u);
  EXPECT_EQ(submitted->blobs[1].hash, std::string(64, 'b'));
  EXPECT_EQ(submitted->blobs[1].size, 9u);
  EXPECT_EQ(submitted->fd, 7);
  EXPECT_EQ(heard.operation, 5u);
  EXPECT_EQ(heard.moved, 3u);
  EXPECT_EQ(heard.outcome, WEIR_REMOTE_TROUBLE);
  EXPECT_EQ(heard.retry_after_ms, 500u);
}

TEST_F(SdkRemote, bytes_are_those_of_a_blob_or_of_a_record) {
  ASSERT_EQ(open(R"({"url":"shelf://x"})"), WEIR_OK);
  weir_blob blob{};
  blob.size = 9;
  submit(1, WEIR_REMOTE_PUT, {blob});
  EXPECT_TRUE(submitted->is_put());
  EXPECT_EQ(submitted->bytes(), 9u);
  submit(2, WEIR_REMOTE_GET_RECORD, {blob});
  EXPECT_FALSE(submitted->is_put());
  EXPECT_EQ(submitted->bytes(), 20u);
}

TEST_F(SdkRemote, an_operation_that_could_not_start_ends_with_trouble) {
  ASSERT_EQ(open(R"({"url":"shelf://x"})"), WEIR_OK);
  submit(13, WEIR_REMOTE_GET, {weir_blob{}});
  EXPECT_EQ(heard.operation, 13u);
  EXPECT_EQ(heard.outcome, WEIR_REMOTE_TROUBLE);
  EXPECT_EQ(heard.text, "full");
  submit(14, WEIR_REMOTE_GET, {weir_blob{}});
  EXPECT_EQ(heard.operation, 14u);
  EXPECT_EQ(heard.outcome, WEIR_REMOTE_TROUBLE);
}

}  // namespace
}  // namespace weir::sdk
