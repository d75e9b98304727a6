#include "core/build/trust_items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include <weir/json.hpp>

#include "core/build/trust_record.h"
#include "core/project/diagnostic_text.h"
#include "plugins/host/own_kinds.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

// Kinds read their own keys: those that they know are in what they made of their example.
template <class Kind>
void expect_classified(const std::string& section, const Kind& kind, const std::string& config) {
  const auto resolved = kind.resolve(config);
  ASSERT_TRUE(resolved) << section;
  for (const auto* text : {&resolved->document, &resolved->later}) {
    const auto json = sdk::Json::parse(*text);
    ASSERT_TRUE(json && json->object()) << section << ": " << *text;
    for (const auto& [key, value] : *json->object())
      EXPECT_NE(find_key(section, key), nullptr)
          << "[" << section << "] " << key << " is not in core/project/trust_table.cpp";
  }
}

TEST(TrustItems, the_table_has_every_key_of_weirs_own_kinds) {
  const std::map<std::string, std::string> examples = {
      {"file", R"({"url":"https://example.org/data.bin"})"},
      {"git", R"({"url":"https://example.org/a.git"})"},
      {"local", R"({"path":"src"})"},
      {"patch", R"({"path":"fix.patch"})"},
      {"tar", R"({"url":"https://example.org/a.tar"})"},
  };
  Kinds kinds;
  for (const auto name : own_kinds(PluginType::source)) {
    const auto kind = kinds.source(name);
    ASSERT_TRUE(kind) << name;
    ASSERT_EQ(examples.count(std::string(name)), 1u) << name << " has no example here";
    expect_classified("source." + std::string(name), **kind, examples.at(std::string(name)));
  }
  for (const auto name : own_kinds(PluginType::element)) {
    const auto kind = kinds.element(name);
    ASSERT_TRUE(kind) << name;
    expect_classified("config." + std::string(name), **kind, "{}");
  }
  for (const auto name : own_kinds(PluginType::queue)) {
    const auto kind = kinds.queue(name);
    ASSERT_TRUE(kind) << name;
    expect_classified("queue." + std::string(name), **kind, "{}");
  }
}

// "ext::sh -c id" would be run by git, and a name with a slash would lead out of the folders of plugins.
TEST(TrustItems, no_url_and_no_kind_names_a_program) {
  Kinds kinds;
  for (const auto* name : {"git", "tar", "file"}) {
    const auto kind = kinds.source(name);
    ASSERT_TRUE(kind) << name;
    for (const auto* url : {"ext::sh -c id", "fd::17", "any-helper::https://example.org/a"})
      EXPECT_FALSE(
          (*kind)->resolve(std::string("{\"url\":\"") + url + "\",\"name\":\"x\"}")->complaints.empty())
          << name << " " << url;
  }
  const auto unknown = kinds.element("x/../../element-script");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().reason, Reason::not_found);
}

class TrustItemsOf : public testing::Test {
 protected:
  // "key subject" of each, the project's folder as ROOT and the other one as OUTSIDE.
  std::multiset<std::string> items(const std::string& text, LookOutside look = LookOutside::no,
                                   std::vector<TextSetting> line = {}) {
    folder_.write("weir.toml", "weir = 1\nproject.name = \"p\"\n" + text);
    const auto loaded = load_project({.directory = folder_.path()});
    EXPECT_TRUE(loaded.ok()) << to_text(loaded.diagnostics, loaded.files);
    const auto none = [](const char*) -> const char* { return nullptr; };
    const auto settings = load_settings({&loaded.project, std::move(line), none}, loaded.files);
    EXPECT_TRUE(settings.ok());
    std::multiset<std::string> all;
    for (const auto& item : trust_items(loaded, settings.settings, look)) {
      auto subject = item.subject;
      for (const auto& [path, name] : {std::pair{fs::canonical(outside_.path()).string(), "OUTSIDE"},
                                       std::pair{outside_.path(), "OUTSIDE"}})
        if (const auto at = subject.find(path); at != subject.npos) subject.replace(at, path.size(), name);
      all.insert(item.key + " " + subject);
      EXPECT_NE(item.place.line, 0u) << item.key;
    }
    return all;
  }
  std::multiset<std::string> source(const std::string& kind, const std::string& keys) {
    return items("[element.a]\nkind = \"import\"\nsource = [{ kind = \"" + kind + "\", " + keys + " }]\n");
  }
  using Items = std::multiset<std::string>;
  TemporaryFolder folder_, outside_;
};

TEST_F(TrustItemsOf, a_project_that_stays_inside_are_none) {
  folder_.write("src/a", "a");
  folder_.write("a.tar", "a");
  fs::create_symlink("src", folder_ / "link");
  fs::create_symlink(outside_.path(), folder_ / "src/out");  // copied as a link, never followed
  EXPECT_EQ(
      items("[[remote]]\nurl = \"http://127.0.0.1/\"\n[[remote]]\nurl = \"dir:cache\"\nca = \"ca.pem\"\n"),
      Items());
  EXPECT_EQ(source("local", "path = \"src\""), Items());
  EXPECT_EQ(source("local", "path = \"link\""), Items());
  EXPECT_EQ(source("local", "path = \".\""), Items());
  EXPECT_EQ(source("tar", "url = \"a.tar\""), Items());
  EXPECT_EQ(source("git", "url = \"https://example.org/a.git\""), Items());
  EXPECT_EQ(source("git", "url = \"host:path.git\""), Items());
  EXPECT_EQ(items("[plugins]\npath = [\"plugins\"]\n"), Items());  // nothing is in it yet
}

TEST_F(TrustItemsOf, sources_outside_are_found_by_each_way_that_leads_there) {
  outside_.write("key", "secret");
  fs::create_symlink(outside_ / "key", folder_ / "key");
  fs::create_symlink(outside_.path(), folder_ / "ssh");
  fs::create_symlink("ssh", folder_ / "twice");
  const Items key = {"source.local.path OUTSIDE/key"};
  EXPECT_EQ(source("local", "path = \"key\""), key);
  EXPECT_EQ(source("local", "path = \"ssh/key\""), key);
  EXPECT_EQ(source("local", "path = \"twice/key\""), key);
  EXPECT_EQ(source("patch", "path = \"key\""), key);
  EXPECT_EQ(source("local", "path = \"twice\""), Items{"source.local.path OUTSIDE"});
  const Items by_url = {"source.url OUTSIDE/key"};
  for (const auto* scheme : {"", "file:", "file://", "file://localhost", "FILE:", "File://"})
    EXPECT_EQ(source("tar", "url = \"" + (scheme + outside_.path()) + "/key\""), by_url) << scheme;
  EXPECT_EQ(source("file", "url = \"key\""), by_url);
  EXPECT_EQ(source("git", "url = \"ssh/key\""), by_url);
  EXPECT_EQ(source("tar", "url = \"../x/://\"").size(), 1u);
  // curl cuts off what is behind "?" and "#", and git follows links before "..".
  for (const auto& url : {"file:a.tar", "file:///proc/self/cwd/a.tar?x"})
    EXPECT_EQ(source("tar", fmt::format("url = \"{}\"", url)).size(), 1u) << url;
  EXPECT_EQ(source("tar", "url = \"file://" + folder_.path() + "/key?x\"").size(), 1u);
  EXPECT_EQ(source("tar", "url = \"/proc/self/cwd/a.tar\""), Items{"source.url /proc/self/cwd/a.tar"});
  // Inside of the project, with .git files, alternates, links and submodules that are not.
  EXPECT_EQ(source("git", "url = \"repo\""), Items{"source.url repo"});
  EXPECT_EQ(source("tar", "url = \"../../../../../../../../../etc/shadow\""),
            Items{"source.url /etc/shadow"});
  EXPECT_EQ(source("tar", "url = \"file:///%65tc/shadow\"").count("source.url /etc/shadow"), 1u);
}

TEST_F(TrustItemsOf, hooks_are_their_commands_and_their_programs_of_the_project) {
  folder_.write("hooks/notify.sh", "true");
  folder_.write("notes.log", "");
  EXPECT_EQ(items("[hooks]\non-start = [\"cat >> '" + folder_.path() + "/notes.log'\"]\n").size(), 1u)
      << "it is written to";
  EXPECT_EQ(items("[hooks]\non-start = [\"curl example.org\"]\non-run-end = [\"sh '" + folder_.path() +
                  "/hooks/notify.sh' now\"]\n"),
            (Items{"hooks.on-start curl example.org",
                   "hooks.on-run-end sh '" + folder_.path() + "/hooks/notify.sh' now",
                   "hooks.program.file hooks/notify.sh"}));
}

TEST_F(TrustItemsOf, every_library_of_a_folder_of_plugins_counts) {
  folder_.write("plugins/element-x.so", "x");
  folder_.write("plugins/libhelp.so.1", "x");
  folder_.write("plugins/README", "x");
  folder_.write("tools/any.so", "x");
  outside_.write("element-y.so", "y");
  EXPECT_EQ(items("[plugins]\npath = [\"plugins\", \"tools/any.so\"]\n"),
            (Items{"plugins.path plugins/element-x.so", "plugins.path plugins/libhelp.so.1",
                   "plugins.path tools/any.so"}));
  // What is in a folder of somebody else is not even listed before that is allowed.
  const auto text = "[plugins]\npath = [\"" + outside_.path() + "\"]\n";
  EXPECT_EQ(items(text), Items{"plugins.path OUTSIDE/"});
  EXPECT_EQ(items(text, LookOutside::yes),
            (Items{"plugins.path OUTSIDE/", "plugins.path OUTSIDE/element-y.so"}));
}

TEST_F(TrustItemsOf, remotes_and_the_sandbox_count_where_the_project_chooses_them) {
  const std::string remote = "[[remote]]\nurl = \"https://me:secret@cache.example/\"\npush = true\n";
  EXPECT_EQ(items(remote), Items{"remote.push https://***@cache.example/"});
  EXPECT_EQ(items(remote, LookOutside::no, {{"remotes", "none", "--no-remote"}}), Items());
  EXPECT_EQ(items(remote, LookOutside::no, {{"remotes", "https://mine.example", "--remote"}}), Items());
  EXPECT_EQ(items("[[remote]]\nurl = \"dir:/var/x\"\nca = \"/etc/ca.pem\"\n"),
            (Items{"remote.url /var/x", "remote.ca /etc/ca.pem"}));
  const std::string none = "[sandbox]\nroot = \"none\"\n";
  EXPECT_EQ(items(none), Items{"sandbox.root none"});
  EXPECT_EQ(items(none, LookOutside::no, {{"sandbox", "none", "--sandbox none"}}), Items());
  EXPECT_EQ(items(none, LookOutside::no, {{"sandbox", "host", "--sandbox host"}}), Items());
}

TEST(TrustText, is_fit_for_a_terminal) {
  EXPECT_EQ(trust_text("hooks.on-start", "a\x1b[2Jb"), "runs a command when a job starts: a\\x1b[2Jb");
}

class TrustRecordsOf : public testing::Test {
 protected:
  TemporaryFolder state_, project_;
  TrustRecords records_{state_ / "a/weir/trust"};
  TrustRecord record() const {
    return {project_.path(),
            ::geteuid(),
            "2026-01-01",
            {{"hooks.on-start", "a\n\"\\\xff\u00e9\x01", "c"}, {"sandbox.root", "none", ""}}};
  }
  fs::path file() const { return *fs::directory_iterator(state_ / "a/weir/trust"); }
};

TEST_F(TrustRecordsOf, come_back_as_they_were_whatever_is_in_them) {
  ASSERT_TRUE(records_.save(record()));
  const auto loaded = records_.load(project_.path());
  ASSERT_TRUE(loaded && *loaded);
  ASSERT_EQ((*loaded)->entries.size(), 2u);
  EXPECT_EQ((*loaded)->entries[0].subject, record().entries[0].subject);
  EXPECT_NE((*loaded)->find("sandbox.root", "none"), nullptr);
  EXPECT_EQ((*loaded)->find("sandbox.root", "host"), nullptr);
  EXPECT_EQ(records_.list()->size(), 1u);
  EXPECT_TRUE(*records_.remove(project_.path()));
  EXPECT_FALSE(*records_.remove(project_.path()));
  EXPECT_FALSE(*records_.load(project_.path()));
}

TEST_F(TrustRecordsOf, are_readable_by_their_user_alone) {
  ASSERT_TRUE(records_.save(record()));
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(state_ / "a/weir/trust").permissions(), fs::perms::owner_all);
}

TEST_F(TrustRecordsOf, that_others_could_have_written_are_errors_and_no_permissions) {
  ASSERT_TRUE(records_.save(record()));
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(records_.load(project_.path()));
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::remove);
  ASSERT_TRUE(records_.load(project_.path()));
  fs::permissions(state_ / "a/weir/trust", fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(records_.load(project_.path()));
  fs::permissions(state_ / "a/weir/trust", fs::perms::others_write, fs::perm_options::remove);
  const auto real = file();
  fs::rename(real, project_ / "moved");
  fs::create_symlink(project_ / "moved", real);
  EXPECT_FALSE(records_.load(project_.path()));
}

TEST_F(TrustRecordsOf, do_not_hold_for_a_folder_of_another_owner) {
  auto other = record();
  other.owner = ::geteuid() + 1;
  ASSERT_TRUE(records_.save(other));
  const auto loaded = records_.load(project_.path());
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(*loaded);
}

TEST_F(TrustRecordsOf, damage_is_an_error) {
  ASSERT_TRUE(records_.save(record()));
  for (const auto* text : {"", "weir-trust = 2\n", "weir-trust = 1\nfolder = 1\n", "[[allow]", "\0\xff"}) {
    std::ofstream(file()) << text;
    EXPECT_FALSE(records_.load(project_.path())) << text;
  }
}

}  // namespace
}  // namespace weir
