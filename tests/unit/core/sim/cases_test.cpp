// The public cases of tests/cases, each a test of its own, through the code behind `weir sim`.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/sim/allocate.h"
#include "core/sim/place.h"

namespace weir::sim {
namespace {

using Json = nlohmann::json;

std::vector<Json> cases_of(const std::string& file) {
  std::ifstream in(std::string(WEIR_SOURCE_DIR) + "/tests/cases/" + file);
  const auto document = Json::parse(in);
  return document.at("cases").get<std::vector<Json>>();
}

std::string name_of(const testing::TestParamInfo<Json>& info) {
  auto name = info.param.at("id").get<std::string>();
  for (auto& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class AllocateCase : public testing::TestWithParam<Json> {};

TEST_P(AllocateCase, is_within_its_tolerance) {
  const auto& given = GetParam();
  const auto text = simulate_allocate(given.at("input").dump());
  ASSERT_TRUE(text) << text.error().message;
  const auto got = Json::parse(*text);
  const auto tolerance = given.at("tolerance").get<std::int64_t>();
  for (const auto* what : {"start", "stop"})
    for (const auto& [name, expected] : given.at("expect").at(what).items())
      EXPECT_NEAR(got.at(what).at(name).get<double>(), expected.get<double>(), static_cast<double>(tolerance))
          << what << " " << name;
  std::int64_t started = 0, waiting = 0;
  for (const auto& one : given.at("input").at("classes")) {
    const auto start = got.at("start").at(one.at("name").get<std::string>()).get<std::int64_t>();
    EXPECT_LE(start, one.at("waiting").get<std::int64_t>());
    started += start;
    waiting += one.at("waiting").get<std::int64_t>();
  }
  if (!got.at("rebalanced").get<bool>()) {
    EXPECT_EQ(started, std::min(given.at("input").at("idle").get<std::int64_t>(), waiting));
  }
}

INSTANTIATE_TEST_SUITE_P(Public, AllocateCase, testing::ValuesIn(cases_of("allocate.json")), name_of);

class PlaceCase : public testing::TestWithParam<Json> {};

bool is_one_of(const Json& value, const Json& allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

void expect_result(const Json& got, const Json& expected) {
  for (const auto& [key, value] : expected.items()) {
    if (key == "job_one_of") EXPECT_TRUE(is_one_of(got.at("job"), value)) << got;
    else if (key == "queue_one_of") EXPECT_TRUE(is_one_of(got.at("queue"), value)) << got;
    else if (key == "one_of") EXPECT_TRUE(is_one_of(got.at("worker"), value)) << got;
    else EXPECT_EQ(got.at(key), value) << got;
  }
}

TEST_P(PlaceCase, goes_as_expected) {
  const auto& input = GetParam().at("input");
  const auto text = simulate_place(input.dump());
  ASSERT_TRUE(text) << text.error().message;
  const auto results = Json::parse(*text).at("results");
  const auto& steps = input.at("steps");
  ASSERT_EQ(results.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i) + ": " + steps[i].dump());
    if (steps[i].contains("expect")) expect_result(results[i], steps[i].at("expect"));
  }
}

INSTANTIATE_TEST_SUITE_P(Public, PlaceCase, testing::ValuesIn(cases_of("place.json")), name_of);

}  // namespace
}  // namespace weir::sim
