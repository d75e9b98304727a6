#include "core/project/project_codec.h"

#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

LoadedProject full() {
  std::ifstream in(WEIR_SOURCE_DIR "/tests/fuzz/corpus/project/full");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto cut = text.find("=== elements/base/zlib.toml\n");
  return load_project_texts(
      {{"weir.toml", text.substr(0, cut)}, {"elements/base/zlib.toml", "kind = \"stack\"\n"}}, 1);
}

const FileOf kSame = [](FileId file) { return file; };

TEST(ProjectCodec, every_member_of_the_format_survives) {
  const auto loaded = full();
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  for (const auto& element : loaded.project.elements) {
    Element back;
    ASSERT_TRUE(decode(encode(element), kSame, back)) << element.name;
    EXPECT_EQ(encode(back), encode(element)) << element.name;
    EXPECT_EQ(back.name, element.name);
    EXPECT_EQ(back.place, element.place);
    EXPECT_EQ(back.env, element.env);
    EXPECT_EQ(back.cpu, element.cpu);
    EXPECT_EQ(back.retry, element.retry);
    EXPECT_EQ(back.timeout, element.timeout);
    EXPECT_EQ(to_json(back.config), to_json(element.config));
    EXPECT_EQ(to_json(back.published), to_json(element.published));
    EXPECT_EQ(back.sources.size(), element.sources.size());
    EXPECT_EQ(back.dependencies.size(), element.dependencies.size());
  }
  Project back;
  ASSERT_TRUE(decode_frame(encode_frame(loaded.project), kSame, back));
  EXPECT_EQ(encode_frame(back), encode_frame(loaded.project));
  EXPECT_EQ(back.name, "full");
  EXPECT_EQ(back.resources.size(), loaded.project.resources.size());
  EXPECT_EQ(back.placement.rebalance_threshold, 12.5);
  EXPECT_EQ(back.remotes.at(0).push, Push::required);
  EXPECT_TRUE(back.elements.empty());
}

TEST(ProjectCodec, bytes_that_are_cut_or_too_many_are_refused) {
  const auto loaded = full();
  const auto bytes = encode(loaded.project.elements.front());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Element element;
    EXPECT_FALSE(decode(std::string_view(bytes).substr(0, size), kSame, element)) << size;
  }
  Element element;
  EXPECT_FALSE(decode(bytes + "x", kSame, element));
}

TEST(ProjectCodec, files_get_the_numbers_of_whoever_reads) {
  const auto loaded = full();
  Element element;
  ASSERT_TRUE(decode(
      encode(loaded.project.elements.front()), [](FileId) { return FileId{7}; }, element));
  EXPECT_EQ(element.place.file, FileId{7});
}

// Each level is five bytes: of a megabyte of them the stack would overflow.
TEST(ProjectCodec, values_that_are_nested_too_deep_are_refused) {
  Element element;
  for (int level = 0; level < 150; ++level) {
    TomlValue outer{TomlValue::Array{}, {}};
    outer.array()->push_back(std::move(element.config));
    element.config = std::move(outer);
  }
  Element back;
  const auto bytes = encode(element);
  EXPECT_TRUE(decode(bytes, kSame, back));
  const std::string level("\x06\x01\0\0\0", 5);
  const auto first = bytes.find(level + level);
  ASSERT_NE(first, bytes.npos);
  std::string deep = bytes.substr(0, first);
  for (int i = 0; i < 200'000; ++i) deep += level;
  EXPECT_FALSE(decode(deep + bytes.substr(first), kSame, back));
}

}  // namespace
}  // namespace weir
