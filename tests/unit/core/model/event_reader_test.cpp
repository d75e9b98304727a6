#include "core/model/event_reader.h"

#include "core/model/event_limits.h"

namespace weir {
namespace {

constexpr auto kTime = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'001));

std::string json_of(const Event& event) {
  std::string out;
  append_json(out, event, kTime);
  return out;
}

// What was written is read and written again: every field of every event, by the table itself.
class Filler {
 public:
  void fill(std::string_view& field) { field = texts_[next_++ % 3]; }
  void fill(event::OptionalText& field) { fill(field.text); }
  void fill(std::uint64_t& field) { field = 18'446'744'073'709'551'615ULL - next_++; }
  void fill(std::int64_t& field) { field = -static_cast<std::int64_t>(next_++); }
  void fill(double& field) { field = 0.125 * static_cast<double>(next_++); }
  void fill(std::optional<std::int64_t>& field) { fill(field.emplace()); }
  void fill(std::optional<double>& field) { fill(field.emplace()); }
  void fill(event::TextList& field) { field = texts_; }
  void fill(event::TokenList& field) { field = tokens_; }
  void fill(event::NumberList& field) { field = numbers_; }

 private:
  static constexpr std::string_view texts_[] = {"plain", "a\"b\\c\n\x1b[31m", "caf\xc3\xa9 \xe6\xbc\xa2"};
  static constexpr std::pair<std::string_view, std::int64_t> tokens_[] = {{"process", 2},
                                                                          {"odd \" name", -1}};
  static constexpr std::uint64_t numbers_[] = {0, 7, 1'000'000};
  std::uint64_t next_ = 1;
};

TEST(EventReader, every_event_comes_back_as_it_was_written) {
  Filler filler;
  std::size_t seen = 0;
  const auto check = [&](const event::Body& body) {
    const auto line = json_of(Event{42, std::chrono::microseconds(1'234'567), body});
    EventReader reader;
    const auto back = reader.read(line);
    ASSERT_TRUE(back) << line;
    EXPECT_EQ(json_of(*back), line);
    EXPECT_EQ(reader.time(), "2023-11-14T22:13:20.001Z");
    ++seen;
  };
#define WEIR_FILL(type, member, json, doc) filler.fill(body.member);
#define WEIR_CHECK(Name, json, doc)            \
  {                                            \
    event::Name body;                          \
    WEIR_FIELDS_##Name(WEIR_FILL) check(body); \
  }
  WEIR_EVENTS(WEIR_CHECK)
#undef WEIR_CHECK
#undef WEIR_FILL
  EXPECT_EQ(seen, std::variant_size_v<event::Body>);
}

TEST(EventReader, what_is_no_event_is_nothing_and_what_is_missing_is_empty) {
  EventReader reader;
  for (const auto* line : {"", "{", "[]", "7", "{}", R"({"ev":"from.the.future","job":1})",
                           R"({"v":1,"ev":"job.end","job":0,"ele)"})
    EXPECT_FALSE(reader.read(line)) << line;
  const auto end =
      reader.read(R"({"ev":"job.end","job":"x","element":3,"seconds":null,"exit":1.5,"more":{"a":[1]}})");
  ASSERT_TRUE(end);
  const auto* body = end->as<event::JobEnd>();
  ASSERT_TRUE(body);
  EXPECT_EQ(body->job, 0u);
  EXPECT_EQ(body->element, "");
  EXPECT_FALSE(body->exit);
}

// A damaged or a forged file: sums of such times and amounts would overflow.
TEST(EventReader, times_and_amounts_that_no_run_has_are_cut) {
  EventReader reader;
  for (const auto* us : {"9223372036854775807", "-9223372036854775808", "9300000000000000"}) {
    const auto event = reader.read(fmt::format(R"({{"ev":"job.suspend","seq":1,"us":{},"job":3}})", us));
    ASSERT_TRUE(event) << us;
    EXPECT_GE(event->since_start, Duration()) << us;
    EXPECT_LE(event->since_start, kLongestRun) << us;
  }
  const auto event =
      reader.read(R"({"ev":"run.plan","tokens":{"a":9223372036854775807,"b":-9223372036854775808,"c":7}})");
  ASSERT_TRUE(event);
  const auto tokens = event->as<event::RunPlan>()->tokens;
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0].second, kMostAmount);
  EXPECT_EQ(tokens[1].second, -kMostAmount);
  EXPECT_EQ(tokens[2].second, 7);
}

}  // namespace
}  // namespace weir
