// A project whose element `bad` runs attempts to get out of its sandbox, built by root and by a plain user,
// with the tools of the host and with a staged root. Attempts are facts of its output; everything that must
// hold afterwards is judged from outside.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "tests/e2e/guest.h"
#include "tests/support/run_program.h"

namespace weir::test::escape {

namespace fs = std::filesystem;

// One that nobody else has, not even another of these tests: the number of processes is limited by user.
inline uid_t plain_user() { return static_cast<uid_t>(200'000 + ::getpid() % 100'000); }
inline constexpr mode_t kSpecialBits = S_ISUID | S_ISGID | S_ISVTX;

inline mode_t mode_of(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
}

// Names, modes, targets of links and content of all below a folder.
inline std::map<std::string, std::string> listing(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    auto& said = all[entry.path().lexically_relative(folder).string()];
    said = std::to_string(mode_of(entry.path())) + " ";
    if (entry.is_symlink()) said += fs::read_symlink(entry.path()).string();
    else if (entry.is_regular_file()) said += content(entry.path());
  }
  return all;
}

struct Attempt {
  std::string name;
  std::string command;
};

// What it achieved is a file of its output: facts, not log text. 9 is the standard input that it was given:
// while an attempt runs, its own is the attempt.
inline std::string script_of(const std::vector<Attempt>& attempts) {
  std::string script = ": > $WEIR_OUT/achieved\nexec 9<&0\n";
  for (const auto& [name, command] : attempts)
    script += "if sh > /dev/null 2>&1 <<'END_OF_ATTEMPT'\n" + command + "\nEND_OF_ATTEMPT\nthen echo '" +
              name + "' >> $WEIR_OUT/achieved; fi\n";
  return script;
}

inline const std::string kElements = R"([element.bad]
kind = "script"
depends = ["lib"]
source = [{kind = "local", path = "src"}]
config.commands = ["sh attempt.sh"]
[element.after]
kind = "script"
depends = ["bad"]
config.commands = ["cat $WEIR_PREFIX/* > $WEIR_OUT/seen || true"]
)";

// Programs of the host with all that they load, as the files of a staged root.
void copy_programs(const fs::path& root);

// weir and weir-init where every user can run them: the build folder may be in somebody's home.
class PublicPrograms {
 public:
  PublicPrograms() {
    fs::permissions(folder_.path(), fs::perms(0755));
    const auto built = fs::path(WEIR_BINARY).parent_path().parent_path();
    fs::create_directories(folder_.path() + "/bin");
    for (const auto* name : {"bin/weir", "bin/weir-init"})
      fs::copy_file(built / name, folder_.path() + "/" + name);
    fs::copy(built / "lib", folder_.path() + "/lib", fs::copy_options::recursive);
  }
  std::string weir() const { return folder_.path() + "/bin/weir"; }

 private:
  TempProject folder_;
};

struct Where {
  const char* name;
  bool root;    // runs weir
  bool staged;  // the root of the sandbox
};
inline constexpr Where kEverywhere[] = {{"root_host", true, false},
                                        {"root_staged", true, true},
                                        {"plain_user_host", false, false},
                                        {"plain_user_staged", false, true}};

class Escape : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    if (GetParam().root && ::geteuid() != 0) GTEST_SKIP() << "these tests do not run as root";
    if (!GetParam().root && ::geteuid() == 0) {
      if (!can_become(plain_user())) GTEST_SKIP() << "this root may not become another user";
      guest_.user = plain_user();
    }
    guest_.directory = project_.path();
    if (GetParam().staged) copy_programs(project_.path() + "/root");
    project_.file("weir.toml", project_text())
        .file("src/attempt.sh", "")
        .file("secret", "secret\n")
        .file("victim/kept", "kept\n");
    give(project_.path());
    ASSERT_EQ(weir({"build", "lib"}).exit, 0) << weir({"build", "lib"}).err;
    lib_ = output_of("lib", project_.cache());
    ASSERT_EQ(lib_.size(), 64u);
    lib_files_ = checked_out("lib");
    victim_ = listing(project_.path() + "/victim");
  }

  // With more elements, or sections.
  static std::string project_text(const std::string& sandbox = {}) {
    const bool staged = GetParam().staged;
    std::string text = "weir = 1\n[project]\nname = \"t\"\n[sandbox]\n" + sandbox;
    if (staged)
      text +=
          "root = \"staged\"\n[element.base]\nkind = \"import\"\nsource = [{kind = \"local\", path = "
          "\"root\"}]\nconfig.to = \"/\"\n";
    return text + R"([element.lib]
kind = "script"
config.commands = ["echo word > $WEIR_OUT/word", "mkdir $WEIR_OUT/bin",
                   "echo 'echo tool' > $WEIR_OUT/bin/tool && chmod +x $WEIR_OUT/bin/tool"]
)" + (staged ? "depends = [\"base\"]\n" : "") +
           kElements;
  }
  // One more element, that runs a command with what it depends on.
  static std::string element(const std::string& name, const std::string& commands, std::string depends) {
    if (GetParam().staged) depends += std::string(depends.empty() ? "" : ", ") + "\"base\"";
    return "[element." + name + "]\nkind = \"script\"\nconfig.commands = ['''" + commands +
           "''']\ndepends = [" + depends + "]\n";
  }

  void give(const std::string& path) const {
    if (!guest_.user) return;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      (void)!::lchown(entry.path().c_str(), *guest_.user, *guest_.user);
    (void)!::lchown(path.c_str(), *guest_.user, *guest_.user);
  }

  Finished weir(std::vector<std::string> words, const std::string& cache = {}) {
    static const PublicPrograms programs;
    words.insert(words.begin(), programs.weir());
    guest_.environment = {
        "PATH=/usr/bin:/bin:/usr/sbin:/sbin", "WEIR_CACHE_DIR=" + (cache.empty() ? project_.cache() : cache),
        "XDG_CONFIG_HOME=" + project_.path() + "/.config", "HOME=" + project_.path(), "WEIR_TRUST=1"};
    return run_as(guest_, std::move(words));
  }

  Finished build(const std::string& script, const std::string& target = "bad") {
    project_.file("src/attempt.sh", script);
    return weir({"build", target});
  }

  std::string output_of(const std::string& element, const std::string& cache) {
    const auto shown = weir({"show", "--json", "--deps", "none", element}, cache).out;
    const std::string_view key = "\"output\":\"";
    const auto at = shown.find(key);
    return at == shown.npos ? "" : shown.substr(at + key.size(), 64);
  }

  // A new folder each time; as it is, also if the checkout was refused.
  std::string checkout(const std::string& element, std::vector<std::string> more = {}) {
    const auto folder = project_.path() + "/out" + std::to_string(checkouts_++);
    std::vector<std::string> words{"checkout", element, folder};
    words.insert(words.end(), more.begin(), more.end());
    checkout_ = weir(words);
    return folder;
  }
  std::map<std::string, std::string> checked_out(const std::string& element) {
    const auto folder = checkout(element);
    EXPECT_EQ(checkout_.exit, 0) << checkout_.err;
    return listing(folder);
  }

  std::set<std::string> achieved(std::vector<Attempt> attempts) {
    attempts.insert(
        attempts.begin(),
        {"control", "command -v bash perl mount umount unshare chmod ln && cat $WEIR_PREFIX/word"});
    const auto built = build(script_of(attempts));
    EXPECT_EQ(built.exit, 0) << built.err;
    std::ifstream lines(checkout("bad") + "/achieved");
    std::set<std::string> all;
    for (std::string line; std::getline(lines, line);) all.insert(line);
    return all;
  }

  void expect_no_harm() {
    EXPECT_EQ(listing(project_.path() + "/victim"), victim_);
    const auto verified = weir({"cache", "verify"});
    EXPECT_EQ(verified.exit, 0) << verified.out;
    EXPECT_EQ(output_of("lib", project_.cache()), lib_);
    EXPECT_EQ(checked_out("lib"), lib_files_);
    const auto elsewhere = project_.path() + "/.elsewhere";
    EXPECT_EQ(weir({"build", "lib"}, elsewhere).exit, 0);
    EXPECT_EQ(output_of("lib", elsewhere), lib_);
  }

  void expect_none_achieved(const std::vector<Attempt>& attempts) {
    EXPECT_EQ(achieved(attempts), std::set<std::string>{"control"});
    expect_no_harm();
  }

  Guest guest_;
  TempProject project_;
  int checkouts_ = 0;
  Finished checkout_;
  std::string lib_;
  std::map<std::string, std::string> lib_files_, victim_;
};

}  // namespace weir::test::escape
