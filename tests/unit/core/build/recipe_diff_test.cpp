#include "core/build/recipe_diff.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/store/store.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

Result<std::string> nothing_there(const store::Digest&) { return fail(Reason::not_found, "not there"); }

std::string told(const Difference& one) {
  return fmt::format("{} {}: {} -> {}\n", to_string(one.about), one.name, one.from.value_or("(none)"),
                     one.to.value_or("(none)"));
}

std::string told(const RecipeDiff& diff) {
  std::string text;
  for (const auto& one : diff.differences) text += told(one);
  if (diff.more_files) text += fmt::format("and {} more\n", diff.more_files);
  return text;
}

std::string diff(std::string_view before, std::string_view now, const ReadBlob& read = nothing_there,
                 std::vector<std::string> folders = {}) {
  const auto result = diff_recipes({before, now, read, std::move(folders)});
  return result ? told(*result) : result.error().message;
}

TEST(RecipeDiff, the_same_has_no_differences) {
  EXPECT_EQ(diff(R"({"a":1,"config":{}})", R"({"config":{},"a":1})"), "");
}

TEST(RecipeDiff, environment_configuration_and_sandbox_by_name_with_both_values) {
  EXPECT_EQ(
      diff(
          R"({"env":{"A":"1","CFLAGS":"-O1","OLD":"x"},"config":{"build-args":["V=1"]},"sandbox":{"root":"host","uid":0}})",
          R"({"env":{"A":"1","CFLAGS":"-O2","NEW":"y"},"config":{"build-args":["V=2"],"strict":true},"sandbox":{"root":"staged","uid":0}})"),
      "environment CFLAGS: -O1 -> -O2\nenvironment NEW: (none) -> y\nenvironment OLD: x -> (none)\n"
      "configuration build-args #1: V=1 -> V=2\nconfiguration strict: (none) -> true\n"
      "sandbox root: host -> staged\n");
}

TEST(RecipeDiff, lists_by_position_and_one_more_in_front_is_one_difference) {
  EXPECT_EQ(diff(R"({"config":{"commands":["a","b","c"]}})", R"({"config":{"commands":["x","a","b","c"]}})"),
            "configuration commands #1: (none) -> x\n");
  EXPECT_EQ(diff(R"({"config":{"commands":["a","b","c"]}})", R"({"config":{"commands":["a","c"]}})"),
            "configuration commands #2: b -> (none)\n");
  EXPECT_EQ(diff(R"({"config":{"commands":["a","b","c"]}})", R"({"config":{"commands":["a","B","c"]}})"),
            "configuration commands #2: b -> B\n");
}

TEST(RecipeDiff, tools_and_system_of_the_host) {
  EXPECT_EQ(
      diff(
          R"({"architecture":"x86_64","host":{"libc":"2.36","system":"debian 12","tools":{"cc":"gcc 12","ld":"ld 2.40"}}})",
          R"({"architecture":"aarch64","host":{"libc":"2.41","system":"debian 12","tools":{"cc":"gcc 14","ld":"ld 2.40"}}})"),
      "tool cc: gcc 12 -> gcc 14\nsystem architecture: x86_64 -> aarch64\nsystem libc: 2.36 -> 2.41\n");
}

TEST(RecipeDiff, another_version_of_the_kind_or_another_kind) {
  EXPECT_EQ(diff(R"({"kind":"make","version":1})", R"({"kind":"make","version":2})"),
            "kind make: version 1 -> version 2\n");
  EXPECT_EQ(diff(R"({"kind":"make","version":1})", R"({"kind":"cmake","version":2})"),
            "kind kind: make -> cmake\n");
}

TEST(RecipeDiff, dependencies_by_name) {
  const auto one = store::digest_of("1"), two = store::digest_of("2");
  const auto entry = [](const char* name, const store::Digest& output) {
    return fmt::format(R"({{"name":"{}","output":"{}"}})", name, output.text());
  };
  EXPECT_EQ(
      diff(
          fmt::format(R"({{"dependencies":[{},{},{}]}})", entry("a", one), entry("b", one), entry("c", one)),
          fmt::format(R"({{"dependencies":[{},{},{}]}})", entry("b", one), entry("c", two), entry("d", two))),
      fmt::format("dependency a: {0} -> (none)\ndependency c: {0} -> {1}\ndependency d: (none) -> {1}\n",
                  short_digest(one), short_digest(two)));
}

TEST(RecipeDiff, a_source_that_was_tracked_again_has_both_refs) {
  EXPECT_EQ(
      diff(R"({"sources":[{"config":{"url":"u"},"directory":"","kind":"git","ref":"aaaa","version":1}]})",
           R"({"sources":[{"config":{"url":"u"},"directory":"","kind":"git","ref":"bbbb","version":1}]})"),
      "source 1 (git): aaaa -> bbbb\n");
  EXPECT_EQ(
      diff(R"({"sources":[{"config":{"strip":1},"directory":"","kind":"tar","ref":"aaaa","version":1}]})",
           R"({"sources":[{"config":{"strip":2},"directory":"x","kind":"tar","ref":"aaaa","version":2}]})"),
      "source 1 (tar) config.strip: 1 -> 2\nsource 1 (tar) directory:  -> x\nkind tar source: version 1 -> "
      "version 2\n");
}

TEST(RecipeDiff, sources_that_came_and_went_or_are_of_another_kind) {
  EXPECT_EQ(diff(R"({"sources":[{"kind":"git","ref":"a"}]})",
                 R"({"sources":[{"kind":"tar","ref":"t"},{"kind":"git","ref":"a"}]})"),
            "source 1 (tar): (none) -> t\n");
  EXPECT_EQ(diff(R"({"sources":[{"kind":"git","ref":"a"}]})", R"({"sources":[{"kind":"tar","ref":"t"}]})"),
            "source 1 (git): a -> (none)\nsource 1 (tar): (none) -> t\n");
}

TEST(RecipeDiff, what_it_does_not_know_is_told_by_its_path) {
  EXPECT_EQ(diff(R"({"future":{"deep":[1,{"x":"a"}]},"gone":null})",
                 R"({"future":{"deep":[1,{"x":"b"}]},"flag":true,"box":{}})"),
            "other box: (none) -> {}\nother flag: (none) -> true\nother future.deep #2.x: a -> b\nother "
            "gone: null -> (none)\n");
}

TEST(RecipeDiff, the_prefix_is_a_variable) {
  EXPECT_EQ(diff(R"({"prefix":"/weir"})", R"({"prefix":"/opt"})"), "variable prefix: /weir -> /opt\n");
}

TEST(RecipeDiff, documents_of_the_wrong_shape_are_no_trouble) {
  EXPECT_EQ(diff("", "{}"), "a recipe is no document");
  EXPECT_EQ(diff("[]", "{}"), "a recipe is no document");
  for (const auto* odd :
       {R"({"sources":1,"dependencies":{"a":2},"host":[],"env":"x","version":{},"kind":7,"config":null})",
        R"({"sources":[1,null,{"tree":5}],"dependencies":[1,{"name":2}],"host":{"tools":[1]}})"}) {
    EXPECT_NE(diff(odd, "{}"), "");
    EXPECT_NE(diff("{}", odd), "");
  }
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  EXPECT_NE(diff(R"({"config":1})", R"({"config":)" + deep + "}"), "");
}

// Brackets in strings are no levels, neither up nor down: of so many levels the stack overflowed.
TEST(RecipeDiff, closing_brackets_in_a_string_do_not_hide_how_deep_a_document_is) {
  const auto levels = [](std::size_t count) { return std::string(count, '[') + std::string(count, ']'); };
  const std::string hidden =
      R"({"a":"\"\\)" + std::string(300'000, ']') + R"(","config":)" + levels(300'000) + "}";
  EXPECT_EQ(diff(R"({"config":1})", hidden), "a recipe is no document");
  const std::string shallow = R"({"config":")" + std::string(1'000, '[') + "\"}";
  EXPECT_NE(diff(R"({"config":1})", shallow), "a recipe is no document");
}

TEST(VariableDiff, by_name_with_both_texts) {
  const auto all =
      diff_variables({{"a", "1"}, {"opt", "-O1"}, {"old", "x"}}, {{"a", "1"}, {"new", "y"}, {"opt", "-O2"}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(told(all[0]) + told(all[1]) + told(all[2]),
            "variable new: (none) -> y\nvariable old: x -> (none)\nvariable opt: -O1 -> -O2\n");
}

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

class SourceDifferences : public ::testing::Test {
 protected:
  SourceDifferences() : store_(must(store::Store::open(folder_ / "store"))) {}
  store::Digest tree(const std::string& name) { return must(store_->import(folder_ / name)).tree; }
  std::string diff_of(const store::Digest& before, const store::Digest& now,
                      std::vector<std::string> folders = {}) {
    const auto document = [](const store::Digest& tree) {
      return fmt::format(R"({{"sources":[{{"directory":"","kind":"local","tree":"{}","version":1}}]}})",
                         tree.text());
    };
    return diff(
        document(before), document(now),
        [this](const store::Digest& digest) { return store_->read_blob(digest); }, std::move(folders));
  }
  static std::string digest(const std::string& text) { return short_digest(store::digest_of(text)); }
  TemporaryFolder folder_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(SourceDifferences, are_named_with_what_happened_to_them) {
  namespace fs = std::filesystem;
  folder_.write("a/same", "same");
  folder_.write("a/deep/changed", "1");
  folder_.write("a/gone/file", "gone");
  folder_.write("a/script", "script");
  fs::create_symlink("x", folder_ / "a/link");
  folder_.write("a/turned", "file");
  folder_.write("b/same", "same");
  folder_.write("b/deep/changed", "2");
  folder_.write("b/deep/new", "new");
  folder_.write("b/script", "script");
  fs::permissions(folder_ / "b/script", fs::perms::owner_all);
  fs::create_symlink("y", folder_ / "b/link");
  folder_.write("b/turned/inside", "now a folder");
  fs::create_directory(folder_ / "b/empty");
  EXPECT_EQ(diff_of(tree("a"), tree("b"), {"src/"}),
            "file src/deep/changed: " + digest("1") + " -> " + digest("2") + "\n" +
                "file src/deep/new: (none) -> " + digest("new") + "\n" +
                "file src/empty/: (none) -> a folder\n" + "file src/gone/file: " + digest("gone") +
                " -> (none)\n" + "file src/link: link to x -> link to y\n" +
                "file src/script: " + digest("script") + " -> " + digest("script") + ", executable\n" +
                "file src/turned: " + digest("file") + " -> (none)\n" + "file src/turned/inside: (none) -> " +
                digest("now a folder") + "\n");
}

TEST_F(SourceDifferences, are_named_up_to_twenty) {
  folder_.write("a/keep", "");
  folder_.write("b/keep", "");
  for (int i = 10; i < 60; ++i) folder_.write("b/sub/" + std::to_string(i), "text");
  const auto text = diff_of(tree("a"), tree("b"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 21);
  EXPECT_NE(text.find("file sub/29: "), text.npos) << text;
  EXPECT_NE(text.find("\nand 30 more\n"), text.npos) << text;
}

TEST_F(SourceDifferences, cannot_be_named_once_the_old_ones_are_gone) {
  folder_.write("b/file", "text");
  const auto gone = store::digest_of("a tree that is not there"), now = tree("b");
  EXPECT_EQ(diff_of(gone, now),
            "source 1 (local) content: " + short_digest(gone) + " -> " + short_digest(now) + "\n");
}

}  // namespace
}  // namespace weir
