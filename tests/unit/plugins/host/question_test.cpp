#include "plugins/host/question.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace weir {
namespace {

PluginLibrary library() {
  PluginLibrary all;
  all.file = "/p/element-x.so";
  all.name = "example";
  all.version = "1.0";
  all.abi_major = 1;
  return all;
}

Result<Reply> asked(const std::function<weir_status(const weir_reply*)>& answer,
                    Wants wants = Wants::document) {
  static const auto only = library();
  return ask(only, "resolve", wants, answer);
}
std::string fault(const std::function<weir_status(const weir_reply*)>& answer,
                  Wants wants = Wants::document) {
  const auto reply = asked(answer, wants);
  return reply ? "none" : reply.error().message;
}
weir_status give(const weir_reply* reply, std::string_view document) {
  return reply->give(reply, view_of(document)), WEIR_OK;
}
std::string told(std::string_view what) {
  return "the plugin /p/element-x.so (example 1.0, ABI 1.0), asked to resolve: " + std::string(what);
}

TEST(Question, the_answer_is_copied) {
  const auto reply = asked([](const weir_reply* to) {
    std::string own = R"({"b":1,"a":2})";
    give(to, own);
    own.assign(own.size(), 'x');
    return WEIR_OK;
  });
  EXPECT_EQ(reply->document.dump(), R"({"a":2,"b":1})");
  EXPECT_FALSE(reply->refused);
}

TEST(Question, a_refusal_has_complaints_and_no_document) {
  const auto reply = asked([](const weir_reply* to) {
    to->complain(to, view_of("a/1"), view_of("no"), view_of("yes"));
    to->complain(to, {}, view_of("nor this"), {});
    return weir_status{WEIR_REFUSED};
  });
  ASSERT_TRUE(reply && reply->refused);
  EXPECT_EQ(reply->complaints.size(), 2u);
  EXPECT_EQ(error_of(*reply).message, "no");
  EXPECT_EQ(error_of(*reply).remedy, "yes");
}

TEST(Question, a_verdict_needs_no_document) {
  EXPECT_TRUE(asked([](const weir_reply*) { return weir_status{WEIR_OK}; }, Wants::verdict));
  EXPECT_EQ(fault([](const weir_reply*) { return weir_status{WEIR_REFUSED}; }, Wants::verdict),
            told("refused and did not say why"));
}

TEST(Question, a_fault_names_the_plugin_and_the_question) {
  EXPECT_EQ(fault([](const weir_reply*) { return weir_status{WEIR_OK}; }), told("gave no answer"));
  EXPECT_EQ(fault([](const weir_reply* to) { return give(to, "{}"), give(to, "{}"); }),
            told("answered twice"));
  EXPECT_EQ(fault([](const weir_reply* to) { return give(to, "[]"); }),
            told("answered with something that is no JSON object"));
  EXPECT_EQ(fault([](const weir_reply* to) { return give(to, "{\"a\":\"\xff\"}"); }),
            told("gave a document that is no UTF-8"));
  EXPECT_EQ(fault([](const weir_reply* to) {
              return to->give(to, {nullptr, 5}), weir_status{WEIR_OK};
            }),
            told("gave a document of 5 bytes at NULL"));
  EXPECT_EQ(fault([](const weir_reply* to) {
              return to->give(to, {"", UINT64_MAX}), weir_status{WEIR_OK};
            }),
            told("gave a document of 18446744073709551615 bytes"));
  EXPECT_EQ(fault([](const weir_reply*) { return weir_status{9}; }), told("returned 9, which is no status"));
  EXPECT_EQ(fault([](const weir_reply*) { return weir_status{WEIR_BROKEN}; }),
            told("failed and did not say why"));
  EXPECT_EQ(fault([](const weir_reply*) -> weir_status { throw std::runtime_error("why"); }),
            told("threw an exception: why"));
  EXPECT_EQ(fault([](const weir_reply*) -> weir_status { throw 1; }), told("threw an exception"));
}

TEST(Question, a_wrong_complaint_is_a_fault_even_if_others_are_right) {
  EXPECT_EQ(fault([](const weir_reply* to) {
              to->complain(to, {}, view_of("no"), {});
              to->complain(to, {}, view_of("\xff"), {});
              return weir_status{WEIR_REFUSED};
            }),
            told("gave a message that is no UTF-8"));
}

TEST(Question, complaints_have_an_end) {
  const auto reply = asked([](const weir_reply* to) {
    for (int i = 0; i < 100000; ++i) to->complain(to, {}, view_of("no"), {});
    return weir_status{WEIR_REFUSED};
  });
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->complaints.size(), 1000u);
}

}  // namespace
}  // namespace weir
