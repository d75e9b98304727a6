// What a malformed input is told, and that no input at all brings weir down.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/random.h"
#include "core/sim/allocate.h"
#include "core/sim/lane.h"
#include "core/sim/place.h"
#include "core/sim/run.h"
#include "core/sim/run_input.h"

namespace weir::sim {
namespace {

using Simulate = Result<std::string> (*)(std::string_view);

std::string problem(Simulate simulate, const std::string& document) {
  const auto out = simulate(document);
  return out ? "accepted: " + *out : out.error().message;
}

std::string allocate_problem(const std::string& classes,
                             const std::string& rest = R"("workers":10,"idle":2)") {
  return problem(simulate_allocate, "{" + rest + R"(,"classes":)" + classes + "}");
}

std::string class_with(const std::string& load) {
  return R"([{"name":"a","load":1,"running":0,"waiting":0},{"name":"b","load":)" + load +
         R"(,"running":0,"waiting":0}])";
}

TEST(SimInput, says_which_value_is_wrong) {
  EXPECT_EQ(allocate_problem(class_with("-1")), "$.classes[1].load: is negative");
  EXPECT_EQ(allocate_problem(class_with("\"x\"")), "$.classes[1].load: must be a number");
  EXPECT_EQ(allocate_problem(class_with("null")), "$.classes[1].load: must be a number");
  EXPECT_EQ(allocate_problem(class_with("1e999")), "$.classes[1].load: the number 1e999 is too large");
  EXPECT_EQ(allocate_problem(class_with("NaN")).substr(0, 29), "$.classes[1].load: is no JSON");
  EXPECT_EQ(allocate_problem("[]"), "$.classes: there are no classes");
  EXPECT_EQ(allocate_problem("{}"), "$.classes: must be an array");
  EXPECT_EQ(
      allocate_problem(
          R"([{"name":"a","load":1,"running":0,"waiting":1},{"name":"a","load":1,"running":0,"waiting":1}])"),
      "$.classes[1].name: is the name of two classes");
  EXPECT_EQ(allocate_problem(R"([{"name":"a","load":1,"running":9,"waiting":1}])"),
            "$.workers: is less than 2 idle workers and 9 running jobs");
  EXPECT_EQ(allocate_problem(R"([{"name":"a","load":1,"running":-1,"waiting":1}])"),
            "$.classes[0].running: is negative");
  EXPECT_EQ(allocate_problem(R"([{"name":"a","load":1,"running":0.5,"waiting":1}])"),
            "$.classes[0].running: must be a whole number");
  EXPECT_EQ(allocate_problem(R"([{"name":"a","load":1,"waiting":1}])"),
            "$.classes[0].running: is missing; it must be a whole number");
  EXPECT_EQ(allocate_problem(R"([{"name":"a","load":1,"load":2}])"), "$.classes[0].load: is given twice");
  EXPECT_EQ(problem(simulate_allocate, "[1]"), "$: must be an object");
  EXPECT_EQ(problem(simulate_allocate, ""), "$: is no JSON, at byte 1");
  EXPECT_EQ(problem(simulate_place, R"({"steps":[{"op":"fly"}]})").substr(0, 32),
            "$.steps[0].op: must be one of: w");
  EXPECT_EQ(problem(simulate_place, R"({"steps":[{"op":"advance","ms":-1}]})"), "$.steps[0].ms: is negative");
  EXPECT_EQ(problem(simulate_lane, R"({"servers":0,"jobs":[]})").substr(0, 11), "$.servers: ");
  EXPECT_EQ(problem(simulate_lane,
                    R"({"servers":1,"jobs":[{"id":"a","access":"read","duration_ms":-3,"at_ms":0}]})"),
            "$.jobs[0].duration_ms: is negative");
}

TEST(SimInput, deep_nesting_is_refused_in_words) {
  const std::string deep = std::string(200'000, '[');
  EXPECT_NE(problem(simulate_place, R"({"steps":)" + deep).find("is nested too deep"), std::string::npos);
}

TEST(SimInput, huge_counts_do_not_overflow) {
  const auto huge =
      R"([{"name":"a","load":1e300,"running":0,"waiting":9007199254740992},{"name":"b","load":1e-300,"running":0,"waiting":0}])";
  EXPECT_EQ(allocate_problem(huge, R"("workers":9007199254740992,"idle":9007199254740992)").substr(0, 9),
            "accepted:");
  EXPECT_NE(allocate_problem(R"([{"name":"a","load":1,"running":0,"waiting":9007199254740993}])")
                .find("$.classes[0].waiting: must be"),
            std::string::npos);
}

TEST(SimAllocate, builds_of_a_class_take_turns) {
  const auto out = simulate_allocate(R"({"workers":20,"idle":6,"classes":[{"name":"c","load":1,
    "builds":[{"id":"b2","running":2,"waiting":9},{"id":"b10","running":0,"waiting":1},{"id":"b1","running":1,"waiting":9}]}]})");
  ASSERT_TRUE(out) << out.error().message;
  // b10, b1, b1, b2, b1, b2: fewest running first, ties by id as text.
  EXPECT_EQ(nlohmann::json::parse(*out).at("start_by_build").at("c").dump(), R"({"b1":3,"b10":1,"b2":2})");
}

TEST(SimAllocate, keys_come_in_the_order_of_the_specification) {
  EXPECT_EQ(
      *simulate_allocate(
          R"({"workers":4,"idle":4,"classes":[{"name":"z","load":30,"running":0,"waiting":9},{"name":"a","load":10,"running":0,"waiting":9}]})"),
      R"({"target":{"z":3,"a":1},"start":{"z":3,"a":1},"stop":{"z":0,"a":0},"spread":75,"rebalanced":false})");
}

std::string read_file(const std::string& name) {
  std::ifstream in(std::string(WEIR_SOURCE_DIR) + "/tests/cases/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What a change made huge is read, not run.
Result<std::string> simulate_small_run(std::string_view document) {
  const auto input = read_input(document, read_run_input);
  if (!input) return tl::unexpected(input.error());
  constexpr std::uint64_t kMost = 2'000;
  if (std::uint64_t{input->builds} * input->jobs_each > kMost || input->workers > kMost) return "{}";
  auto out = simulate_run(document);
  if (!out) return tl::unexpected(out.error());
  return std::move(out->json);
}

constexpr const char* kSmallRun =
    R"({"workers":3,"slots":2,"seed":1,"allocate":"load-based","place":"cache-aware","cache_timeout_ms":100,"deps_timeout_ms":500,
"pick":"cache-first","skip_empty_stages":true,"loans":"plain","rebalance":{"threshold":50,"min_duration_s":60},
"classes":[{"name":"ci","load":70},{"name":"dev","load":30}],
"builds":{"count":2,"jobs_each":10,"shape":"layered","depth":3,"fan_in":2,"duration_ms":{"median":4000,"sigma":1.0},"arrival_s":5,
"share":{"ci":0.5,"dev":0.5}},"artifact_bytes":{"median":1000000,"sigma":1.5},"bandwidth_bytes_per_s":100000000,
"faults":{"worker_mtbf_s":60,"repair_s":5,"slow_fraction":0.1,"slow_factor":4}})";

struct Sample {
  Simulate simulate;
  std::string document;
};

void add_cases(const std::string& file, Simulate simulate, std::vector<Sample>& out) {
  const auto document = nlohmann::json::parse(read_file(file));
  for (const auto& one : document.at("cases")) out.push_back({simulate, one.at("input").dump()});
}

std::vector<Sample> samples() {
  std::vector<Sample> out;
  add_cases("allocate.json", simulate_allocate, out);
  add_cases("place.json", simulate_place, out);
  out.push_back(
      {simulate_lane,
       R"({"servers":4,"jobs":[{"id":"a","group":"g1","access":"read","duration_ms":5,"at_ms":0},{"id":"b","access":"write","duration_ms":0,"at_ms":3}]})"});
  return out;
}

std::string mutated(std::string text, Random& random) {
  static constexpr const char* kBits[] = {"1e999",
                                          "-1",
                                          "NaN",
                                          "null",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          "\"",
                                          ",",
                                          ":",
                                          "1e-300",
                                          "99999999999999999999",
                                          "0.5",
                                          "true",
                                          "\\u0000",
                                          "\xff",
                                          "\"w0\"",
                                          "[[[[",
                                          "9007199254740992"};
  for (auto n = 1 + random.below(4); n > 0; --n) {
    const auto at = random.below(text.size() + 1);
    switch (random.below(4)) {
      case 0: text.erase(at, random.below(12)); break;
      case 1: text.insert(at, kBits[random.below(std::size(kBits))]); break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random.next());
        break;
      case 3: {
        // Another number where one stands: the document stays well-formed.
        const auto digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const auto end = text.find_first_not_of("0123456789.", digit);
        text.replace(digit, end - digit, kBits[random.chance(0.5) ? 19 : random.below(std::size(kBits))]);
      }
    }
  }
  return text;
}

// How many of the changed documents are still accepted.
std::size_t survive_changes_of(const std::vector<Sample>& valid) {
  std::size_t accepted = 0;
  for (std::uint64_t seed = 1; seed <= 6'000; ++seed) {
    Random random(seed);
    const auto& sample = valid[random.below(valid.size())];
    const auto document = mutated(sample.document, random);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto out = sample.simulate(document);
    if (out) {
      ++accepted;
      EXPECT_TRUE(nlohmann::json::accept(*out)) << document << "\n" << *out;
    } else {
      EXPECT_EQ(out.error().message.front(), '$') << out.error().message;
    }
  }
  return accepted;
}

TEST(SimInput, random_changes_of_valid_documents_never_crash) {
  const auto valid = samples();
  ASSERT_EQ(valid.size(), 38u);
  EXPECT_GT(survive_changes_of(valid), 100u);
}

TEST(SimInput, random_changes_of_a_cluster_never_crash) {
  ASSERT_TRUE(simulate_small_run(kSmallRun).has_value());
  EXPECT_GT(survive_changes_of({{simulate_small_run, kSmallRun}}), 300u);
}

}  // namespace
}  // namespace weir::sim
