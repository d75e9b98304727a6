#include "core/project/trust_table.h"

#include <set>

#include "core/project/lock_file.h"
#include "tests/support/text_parts.h"
#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

// Section and key of everything that the loader asked for, and whether it was there.
using SeenKeys = std::map<std::pair<std::string, std::string>, bool>;
SeenKeys* seen_keys = nullptr;

// "[sandbox]", "[[remote]]", `element "app"`, "a source of element ..": as TableReader has it in messages.
std::string section_of(const std::string& where) {
  if (where == "weir.toml") return "";
  if (where == "[[source]]") return "weir.lock.source";
  if (where.starts_with("[")) {
    const auto begin = where.find_first_not_of('[');
    return where.substr(begin, where.find(']') - begin);
  }
  for (const auto& [start, section] : {std::pair{"element ", "element"},
                                       {"a source of ", "source"},
                                       {"retry of ", "retry"},
                                       {"needs of ", "element.needs"}})
    if (where.starts_with(start)) return section;
  return where;
}

void see(const std::string& where, std::string_view key, bool is_present) {
  (*seen_keys)[{section_of(where), std::string(key)}] |= is_present;
}

class Watched {
 public:
  Watched() {
    seen_keys = &seen;
    TableReader::observer = see;
  }
  ~Watched() { TableReader::observer = nullptr; }
  SeenKeys seen;
};

SeenKeys keys_of_the_full_project() {
  std::ifstream in(WEIR_SOURCE_DIR "/tests/fuzz/corpus/project/full");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<TextFile> files;
  for (auto& part : test::parts_of(text)) files.push_back({part.name, part.text});
  files.front().path = "weir.toml";
  Watched watched;
  const auto loaded = load_project_texts(std::move(files));
  EXPECT_TRUE(loaded.ok()) << to_text(loaded.diagnostics, loaded.files);
  Diagnostics diagnostics;
  parse_lock(
      "weir-lock = 1\n[[source]]\nelement = \"a\"\nkind = \"git\"\nurl = \"u\"\ntrack = \"t\"\nref = \"r\"\n",
      kNoFile, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  return watched.seen;
}

// Whoever adds a key decides what it may do.
TEST(TrustTable, has_every_key_that_the_loader_asks_for) {
  const auto seen = keys_of_the_full_project();
  ASSERT_GT(seen.size(), 80u);
  for (const auto& [key, is_present] : seen)
    EXPECT_NE(find_key(key.first, key.second), nullptr)
        << "[" << key.first << "] " << key.second << " is not in core/project/trust_table.cpp";
}

// A table that no project of the tests has would hide its keys from the test above.
TEST(TrustTable, each_of_its_keys_is_in_the_full_project) {
  const auto seen = keys_of_the_full_project();
  for (const auto& row : trust_table()) {
    const bool is_of_a_kind = row.section.starts_with("source.") || row.section.starts_with("config.");
    const bool is_refused = row.section == "remote" && row.key == "token-env";
    if (row.key == "*" || is_of_a_kind || is_refused) continue;
    const auto at = seen.find({std::string(row.section), std::string(row.key)});
    EXPECT_TRUE(at != seen.end() && at->second)
        << "[" << row.section << "] " << row.key << ": write it into tests/fuzz/corpus/project/full";
  }
}

TEST(TrustTable, a_key_that_is_not_classified_is_noticed) {
  EXPECT_EQ(find_key("plugins", "load-at-once"), nullptr);
  EXPECT_EQ(find_key("cluster", "listen"), nullptr);
}

TEST(TrustTable, effects_and_stages_agree) {
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (const auto& row : trust_table()) {
    EXPECT_EQ(row.effect == KeyEffect::harmless, row.stage == TrustStage::never)
        << row.section << "." << row.key;
    EXPECT_EQ(row.effect == KeyEffect::harmless, row.what.empty()) << row.section << "." << row.key;
    EXPECT_TRUE(keys.emplace(row.section, row.key).second) << row.section << "." << row.key << " twice";
  }
}

class ProjectLinks : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(outside_.path());
    folder_.write("weir.toml", "weir = 1\nproject.name = \"p\"\n");
    folder_.write("elements/a.toml", "kind = \"stack\"\n");
  }
  void link(const std::string& target, const std::string& name) {
    std::filesystem::remove(folder_ / name);
    std::filesystem::create_symlink(target, folder_ / name);
  }
  std::vector<std::string> outside(const Outside& allowed = {}) {
    const auto loaded = load_project({.directory = folder_.path(), .outside = allowed});
    std::vector<std::string> all;
    for (const auto& file : loaded.outside) all.push_back(file.path + " -> " + file.leads_to);
    EXPECT_EQ(all.empty(), loaded.ok()) << to_text(loaded.diagnostics, loaded.files);
    return all;
  }
  TemporaryFolder folder_, outside_;
};

TEST_F(ProjectLinks, to_files_of_the_project_are_followed) {
  folder_.write("more/b", "kind = \"stack\"\n");
  link("../more/b", "elements/b.toml");
  link(folder_ / "more/b", "elements/c.toml");  // absolute
  EXPECT_EQ(outside(), std::vector<std::string>());
  EXPECT_EQ(load_project({.directory = folder_.path()}).project.elements.size(), 3u);
}

TEST_F(ProjectLinks, that_lead_out_of_it_are_not_read) {
  outside_.write("x", "kind = \"stack\"\n");
  link(outside_ / "x", "elements/b.toml");
  const auto said = outside();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "elements/b.toml -> " + std::filesystem::canonical(outside_ / "x").string());
  EXPECT_EQ(outside(Outside{true, {}}), std::vector<std::string>());
}

TEST_F(ProjectLinks, weir_toml_weir_lock_and_the_folder_of_elements_are_not_read_either) {
  outside_.write("lock", "weir-lock = 1\n");
  outside_.write("weir.toml", "weir = 1\n");
  outside_.write("elements/z.toml", "kind = \"stack\"\n");
  link(outside_ / "lock", "weir.lock");
  EXPECT_EQ(outside().size(), 1u);
  std::filesystem::remove(folder_ / "weir.lock");
  std::filesystem::rename(folder_ / "elements", folder_ / "kept");
  link(outside_ / "elements", "elements");
  EXPECT_EQ(outside().size(), 1u);
  EXPECT_EQ(load_project({.directory = folder_.path()}).project.elements.size(), 0u);
  link(outside_ / "weir.toml", "weir.toml");
  EXPECT_EQ(outside().size(), 1u);
  EXPECT_EQ(load_project({.directory = folder_.path()}).project.name, "");
}

TEST(TrustTable, a_host_tool_is_a_name_and_no_path) {
  const auto loaded = load_texts("[sandbox]\nhost-tools = [\"cc\", \"../../proc/self/cwd/evil\"]\n");
  EXPECT_NE(errors_of(loaded).find("host-tools of [sandbox] cannot hold \"../../proc/self/cwd/evil\""),
            std::string::npos)
      << errors_of(loaded);
}

}  // namespace
}  // namespace weir
