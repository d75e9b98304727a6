// The fuzzer's corpus, and random changes of it, through the function that the fuzzer calls: so g++ and the
// sanitizers of CI see them too.
#include "tests/fuzz/project_fuzz.h"

#include "core/base/random.h"
#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(WEIR_SOURCE_DIR "/tests/fuzz/corpus")) {
    std::ifstream in(entry.path(), std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

std::string changed(std::string text, const std::vector<std::string>& all, Random& random) {
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

TEST(ProjectFuzz, the_corpus_is_harmless) {
  const auto inputs = corpus();
  ASSERT_GE(inputs.size(), 10u);
  for (const auto& input : inputs) fuzz_project(input);
}

TEST(ProjectFuzz, changed_bytes_are_harmless) {
  const auto inputs = corpus();
  Random random(20260101);
  for (int i = 0; i < 4000; ++i) {
    const auto input = changed(inputs[random.below(inputs.size())], inputs, random);
    SCOPED_TRACE(i);
    fuzz_project(input);
  }
}

}  // namespace
}  // namespace weir
