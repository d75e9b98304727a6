#include "core/placement/load_settings_json.h"

#include "core/placement/load_allocator.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<LoadAllocator> two_classes() {
  LoadSettings settings;
  settings.classes = {{"ci", Decimal(70)}, {"dev", *Decimal::parse("33.3")}};
  return std::move(*LoadAllocator::make(settings));
}

TEST(LoadSettingsJson, shows_what_can_be_set) {
  auto allocator = two_classes();
  ASSERT_TRUE(allocator->set_requestors({{"ci", "ci-.*"}}));
  EXPECT_EQ(allocator->settings(),
            R"({"loads":{"ci":70,"dev":33.3},"requestors":[{"class":"ci","requestor":"ci-.*"}],)"
            R"("rebalance-threshold":50,"rebalance-after":60})");
}

TEST(LoadSettingsJson, what_is_shown_can_be_set_again) {
  auto allocator = two_classes();
  ASSERT_TRUE(allocator->set("loads", R"({"ci": 0.1, "dev": 12345678901234567890.0000000000000000001})"));
  ASSERT_TRUE(allocator->set("rebalance-after", "0.000000001"));
  ASSERT_TRUE(allocator->set("rebalance-threshold", "1e300"));
  EXPECT_EQ(allocator->settings(),
            R"({"loads":{"ci":0.1,"dev":123456789012345678900000000000000000001e-19},"requestors":[],)"
            R"("rebalance-threshold":1e300,"rebalance-after":0.000000001})");
  const auto before = allocator->loads();
  ASSERT_TRUE(allocator->set("loads", R"({"ci":0.1,"dev":123456789012345678900000000000000000001e-19})"));
  EXPECT_EQ(allocator->loads(), before);
}

TEST(LoadSettingsJson, some_loads_change_and_the_others_stay) {
  auto allocator = two_classes();
  ASSERT_TRUE(allocator->set("loads", R"({"dev": 1})"));
  EXPECT_EQ(allocator->loads(), (std::vector<LoadClass>{{"ci", Decimal(70)}, {"dev", Decimal(1)}}));
}

TEST(LoadSettingsJson, a_duration_is_seconds_or_a_text) {
  auto allocator = two_classes();
  ASSERT_TRUE(allocator->set("rebalance-after", "2.5"));
  EXPECT_EQ(allocator->min_duration(), 2500ms);
  ASSERT_TRUE(allocator->set("rebalance-after", R"("2m")"));
  EXPECT_EQ(allocator->min_duration(), 2min);
  ASSERT_TRUE(allocator->set("rebalance-after", "0"));
  EXPECT_EQ(allocator->min_duration(), 0s);
}

TEST(LoadSettingsJson, requestors_decide_on_the_class) {
  auto allocator = two_classes();
  ASSERT_TRUE(allocator->set("requestors",
                             R"([{"class":"dev","requestor":"ann|bob"},{"class":"ci","requestor":".*"}])"));
  EXPECT_EQ(allocator->class_name(allocator->class_of("bob")), "dev");
  EXPECT_EQ(allocator->class_name(allocator->class_of("carl")), "ci");
}

TEST(LoadSettingsJson, a_bad_value_changes_nothing_and_says_why) {
  const struct {
    const char *name, *json, *why;
  } kBad[] = {
      {"loads", R"({"ci": 1, "dev": -1})", "$.dev: is negative"},
      {"loads", R"({"ci": NaN})", "$.ci: is no JSON"},
      {"loads", R"({"ci": 1e999})", "$.ci"},
      {"loads", R"({"ci": 1e-390})", "$.ci"},  // what is shown would be no number for those who read doubles
      {"loads", R"({"ci": "1"})", "$.ci: must be a number"},
      {"loads", R"({"ci": 1, "nobody": 1})", "there is no class \"nobody\""},
      {"loads", R"({"ci": 1, "ci": 2})", "$.ci: is given twice"},
      {"loads", "{}", "there are no classes"},
      {"loads", "[]", "$: must be an object"},
      {"loads", "", "is no JSON"},
      {"requestors", "[]", "the map of requestors is empty"},
      {"requestors", R"([{"class":"ci","requestor":"a"},{"class":"dev","requestor":"("}])", "is broken"},
      {"requestors", R"([{"class":"nobody","requestor":"a"}])", "there is no class \"nobody\""},
      {"requestors", R"([{"class":"ci"}])", "$[0].requestor: is missing"},
      {"rebalance-threshold", "-0.1", "is negative"},
      {"rebalance-threshold", "\"50\"", "must be a number"},
      {"rebalance-after", "-1", "is negative"},
      {"rebalance-after", "\"soon\"", "must be a duration"},
      {"rebalance-after", "1e-10", "must be whole nanoseconds"},
      {"rebalance-after", "1e99", "at most 30 years"},
      {"load", R"({"ci": 1})", "there is no setting \"load\""},
  };
  auto allocator = two_classes();
  ASSERT_TRUE(allocator->set("requestors", R"([{"class":"ci","requestor":"ci-.*"}])"));
  const auto before = allocator->settings();
  for (const auto& bad : kBad) {
    const auto done = allocator->set(bad.name, bad.json);
    ASSERT_FALSE(done) << bad.name << " " << bad.json;
    EXPECT_NE(done.error().message.find(bad.why), std::string::npos) << done.error().message;
    EXPECT_FALSE(done.error().remedy.empty()) << bad.name << " " << bad.json;
    EXPECT_EQ(allocator->settings(), before);
  }
}

}  // namespace
}  // namespace weir
