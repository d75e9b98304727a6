// A plugin answers the same whether the code of the SDK was linked or came with its headers.
#include <gtest/gtest.h>

#include "plugins/host/kinds.h"

namespace weir {
namespace {

class SdkModes : public testing::TestWithParam<const char*> {
 protected:
  Kinds kinds{plugin_path({WEIR_TEST_PLUGINS}, {})};
  const ElementKind& kind = *kinds.element(GetParam()).value();
};
INSTANTIATE_TEST_SUITE_P(All, SdkModes, testing::Values("greet", "greet-alone"));

TEST_P(SdkModes, a_configuration_is_resolved) {
  const auto resolved = kind.resolve(R"({"test":["true"],"times":3})");
  EXPECT_EQ(resolved->document, R"({"name":"world","times":3})");
  EXPECT_EQ(resolved->later, R"({"test":["true"]})");
}

TEST_P(SdkModes, mistakes_are_told_at_once) {
  const auto resolved = kind.resolve(R"({"nmae":"Ada","times":10})");
  ASSERT_EQ(resolved->complaints.size(), 2u);
  EXPECT_EQ(resolved->complaints[0].message, "\"times\" has to be a whole number from 1 to 9");
  EXPECT_EQ(resolved->complaints[1].remedy, "did you mean \"name\"?");
}

TEST_P(SdkModes, steps_are_planned) {
  const auto plan = kind.plan(R"({"name":"Ada","times":1})", {"/weir", "/install"});
  ASSERT_TRUE(plan) << to_text(plan.error());
  const std::vector<Step> expected{RunStep{{"greet", "Ada"}, "build/sub", {{3, Failure::network}}},
                                   WriteStep{"install/greeted", "yes\n", true}};
  EXPECT_TRUE(plan->steps == expected);
  EXPECT_EQ(plan->environment, (std::vector<std::pair<std::string, std::string>>{{"NAME", "Ada"}}));
}

TEST_P(SdkModes, an_exception_ends_at_the_border) {
  const auto plan = kind.plan(R"({"name":"nobody","times":1})", {"/weir", "/install"});
  ASSERT_FALSE(plan);
  EXPECT_NE(to_text(plan.error()).find("nobody is there"), std::string::npos) << to_text(plan.error());
}

}  // namespace
}  // namespace weir
