#include "core/control/request.h"

#include "core/base/json_value.h"
#include "core/control/reply.h"

namespace weir::control {
namespace {

struct Wrong {
  std::string line;
  std::string path;
  std::string message;  // part of it
  std::string remedy;   // part of it
};

TEST(Request, what_is_wrong_is_refused_with_its_place) {
  const std::vector<Wrong> all = {
      {"", "", "cannot be read", ""},
      {"status", "", "cannot be read", ""},
      {R"({"v":1,"op":"status"} x)", "", "cannot be read", ""},
      {R"({"v":1,"op":"status","op":"cancel"})", "", "given twice", ""},
      {R"(["status"])", "", "is no object", "\"op\""},
      {R"({"op":"status"})", "/v", "version", ""},
      {R"({"v":"1","op":"status"})", "/v", "version", ""},
      {R"({"v":0,"op":"status"})", "/v", "version", ""},
      {R"({"v":2,"op":"explode"})", "/v", "speaks version 1 of the protocol, not 2",
       "the weir that the run was started with"},
      {R"({"v":1})", "/op", "missing", ""},
      {R"({"v":1,"op":7})", "/op", "no text", ""},
      {R"({"v":1,"op":"stauts"})", "/op", "there is no op \"stauts\"", "did you mean \"status\"?"},
      {R"({"v":1,"op":"explode"})", "/op", "explode", "cancel, suspend"},
      {R"({"v":1,"op":"cancel","jbo":3})", "/jbo", "no member", "did you mean \"job\"?"},
      {R"({"v":1,"op":"status","a/b~":3})", "/a~1b~0", "no member", "none beside v and op"},
      {R"({"v":1,"op":"cancel","job":""})", "/job", "empty", ""},
      {R"({"v":1,"op":"cancel","job":-1})", "/job", "no number of a job", ""},
      {R"({"v":1,"op":"cancel","job":1.5})", "/job", "no number of a job", ""},
      {R"({"v":1,"op":"cancel","job":null})", "/job", "no text", ""},
      {R"({"v":1,"op":"submit"})", "/targets", "missing", ""},
      {R"({"v":1,"op":"submit","targets":"app"})", "/targets", "no array", ""},
      {R"({"v":1,"op":"submit","targets":[]})", "/targets", "empty", ""},
      {R"({"v":1,"op":"submit","targets":["a","b",3]})", "/targets/2", "no text", ""},
      {R"({"v":1,"op":"submit","targets":["a",""]})", "/targets/1", "empty", ""},
      {R"({"v":1,"op":"submit","requestor":1,"targets":["a"]})", "/requestor", "no text", ""},
      {R"({"v":1,"op":"set","name":"x"})", "/value", "missing", ""},
      {R"({"v":1,"op":"set","value":1})", "/name", "missing", ""},
      {R"({"v":1,"op":"worker","order":"drian","name":"w"})", "/order", "drian", "did you mean \"drain\"?"},
      {R"({"v":1,"op":"worker","order":"drain"})", "/name", "missing", ""},
  };
  for (const auto& wrong : all) {
    const auto request = parse_request(wrong.line);
    ASSERT_FALSE(request) << wrong.line;
    EXPECT_EQ(request.error().path, wrong.path) << wrong.line;
    EXPECT_NE(request.error().error.message.find(wrong.message), std::string::npos)
        << request.error().error.message;
    EXPECT_NE(request.error().error.remedy.find(wrong.remedy), std::string::npos)
        << request.error().error.remedy;
  }
}

TEST(Request, every_request_is_read_as_it_was_written) {
  const std::vector<std::string> all = {
      R"({"v":1,"op":"status"})",
      R"({"v":1,"op":"cancel"})",
      R"({"v":1,"op":"cancel","job":"12"})",
      R"({"v":1,"op":"suspend","job":"app"})",
      R"({"v":1,"op":"resume"})",
      R"({"v":1,"op":"submit","requestor":"ci-7","targets":["a","b/*"]})",
      R"({"v":1,"op":"submit","targets":["a"]})",
      R"({"v":1,"op":"get"})",
      R"({"v":1,"op":"get","name":"loads"})",
      R"({"v":1,"op":"set","name":"loads","value":{"ci":70.10000000000000000001}})",
      R"({"v":1,"op":"set","name":"x","value":null})",
      R"({"v":1,"op":"worker","order":"drain","name":"w1"})",
      R"({"v":1,"op":"worker","order":"remove","name":"w1"})",
      R"({"v":1,"op":"worker","order":"return","name":"w1"})",
  };
  for (const auto& line : all) {
    const auto request = parse_request(line);
    ASSERT_TRUE(request) << line;
    EXPECT_EQ(to_line(*request), line);
  }
  EXPECT_EQ(to_line(*parse_request(R"({"job":12,"op":"cancel","v":1})")),
            R"({"v":1,"op":"cancel","job":"12"})");
}

TEST(Request, a_long_word_does_not_come_back_whole) {
  const auto request = parse_request(R"({"v":1,"op":")" + std::string(500'000, 'x') + "\"}");
  ASSERT_FALSE(request);
  EXPECT_LT(refusal_line(request.error()).size(), 1000U);
}

TEST(Reply, a_refusal_is_read_as_it_was_written) {
  const auto line = refusal_line({{Reason::not_found, "no \"x\"\nat all", "try y"}, "/value"});
  EXPECT_EQ(
      line,
      R"({"v":1,"ok":false,"error":{"reason":"not-found","message":"no \"x\"\nat all","remedy":"try y","path":"/value"}})");
  const auto reply = parse_reply(line);
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->ok);
  EXPECT_EQ(reply->error.reason, Reason::not_found);
  EXPECT_EQ(reply->error.message, "no \"x\"\nat all");
  EXPECT_EQ(reply->error.remedy, "try y");
  EXPECT_EQ(reply->path, "/value");
}

TEST(Reply, is_one_line_whatever_the_run_writes) {
  const auto line = done_line("status", "{\n  \"run\": 3,\r\n  \"x\": \"a\\nb\"\n}\n");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto reply = parse_reply(line);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->ok);
  EXPECT_EQ(to_json(*reply->document.member("status")), R"({"run":3,"x":"a\nb"})");
}

TEST(Reply, what_is_none_is_an_error) {
  for (const auto* line : {"", "x", "[]", "{}", R"({"ok":1})"}) EXPECT_FALSE(parse_reply(line)) << line;
}

}  // namespace
}  // namespace weir::control
