// The corpora of all fuzz targets, and random changes of them, in the ordinary build: so g++ and the
// sanitizers of CI see them too. tests/fuzz/run does the searching.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "core/base/random.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path kTop = WEIR_SOURCE_DIR;
constexpr std::size_t kLongestInput = 64 * 1024;
constexpr int kChanges = 300;  // of each corpus

std::string text_in(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> inputs_in(const fs::path& folder) {
  std::vector<std::string> inputs;
  if (!fs::is_directory(folder)) return inputs;
  for (const auto& entry : fs::directory_iterator(folder)) inputs.push_back(text_in(entry.path()));
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

std::string changed_input(std::string text, const std::vector<std::string>& all, Random& random) {
  for (auto edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
    const auto at = random.below(text.size());
    const auto length = 1 + random.below(8);
    switch (random.below(4)) {
      case 0: text[at] = static_cast<char>(random.below(256)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(random.below(text.size()), length)); break;
      default: {
        const auto& other = all[random.below(all.size())];
        if (!other.empty()) text.insert(at, other.substr(random.below(other.size()), 4 * length));
      }
    }
  }
  return text;
}

// The words behind `word` in targets.txt, of all targets.
std::set<std::string> words_behind(const std::string& word) {
  std::set<std::string> found;
  std::istringstream lines(text_in(kTop / "tests/fuzz/targets.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, next;
    if (!(words >> first) || first != word) continue;
    while (words >> next) found.insert(next);
  }
  return found;
}

class FuzzTarget : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzTarget, its_corpus_is_harmless) {
  const auto inputs = inputs_in(kTop / "tests/fuzz/corpus" / GetParam().name);
  ASSERT_FALSE(inputs.empty()) << "tests/fuzz/corpus/" << GetParam().name << " has no inputs";
  for (const auto& input : inputs) GetParam().run(input);
}

TEST_P(FuzzTarget, random_changes_of_its_corpus_are_harmless) {
  const auto inputs = inputs_in(kTop / "tests/fuzz/corpus" / GetParam().name);
  ASSERT_FALSE(inputs.empty());
  Random random(20260101);
  for (int i = 0; i < kChanges; ++i) {
    SCOPED_TRACE(i);
    const auto& input = inputs[random.below(inputs.size())];
    if (input.size() <= kLongestInput) GetParam().run(changed_input(input, inputs, random));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTarget, ::testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(FuzzTargets, every_target_of_the_table_is_there_under_its_name) {
  std::set<std::string> listed, registered;
  std::istringstream lines(text_in(kTop / "tests/fuzz/targets.txt"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("[")) listed.insert(line.substr(1, line.size() - 2));
  for (const auto& target : targets()) registered.insert(target.name);
  EXPECT_EQ(listed, registered);
  for (const auto& folder : fs::directory_iterator(kTop / "tests/fuzz/corpus"))
    EXPECT_TRUE(listed.contains(folder.path().filename())) << folder.path() << " is the corpus of no target";
  for (const auto& source : words_behind("code")) {
    const auto file = source.substr(0, source.find(':'));
    const bool is_file = file.find('/') != file.npos;
    EXPECT_TRUE(!is_file || fs::exists(kTop / file)) << file << " is not there";
  }
}

// Functions of headers that take bytes apart, by their names.
TEST(FuzzTargets, every_parser_has_a_target_or_a_reason_why_not) {
  const auto known = words_behind("parser"), exempt = words_behind("no-target");
  const std::regex parser(R"(\b((?:decode|parse)(?:_\w+)?|unpack_tree)\()");
  std::set<std::string> seen;
  for (const auto* folder : {"core", "plugins", "queues", "resources"})
    for (const auto& entry : fs::recursive_directory_iterator(kTop / folder)) {
      if (entry.path().extension() != ".h") continue;
      const auto text = text_in(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), parser), end; at != end; ++at) {
        const auto name = (*at)[1].str();
        seen.insert(name);
        EXPECT_TRUE(known.contains(name) || exempt.contains(name))
            << entry.path() << " declares " << name
            << ": add it to a target of tests/fuzz/targets.txt, or a target for it (docs/fuzzing.md)";
      }
    }
  EXPECT_GE(seen.size(), 20U);
}

}  // namespace
}  // namespace weir::fuzz
