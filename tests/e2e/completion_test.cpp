// The scripts of `weir completion` in the shells they are for.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/e2e/installed_weir.h"
#include "tests/e2e/terminal.h"
#include "tests/e2e/weir_process.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

Words lines_in(const std::string& text) {
  Words all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  return all;
}

Words sorted(Words words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// Gets the words of a line, the last of them under the cursor, and prints candidates. Words are cut at "="
// and "@", as bash does.
constexpr const char* kBash = R"--(
source "$1"; shift
COMP_LINE="$*" COMP_WORDS=()
for word; do
  while [[ $word == ?*[=@]* || $word == [=@]?* ]]; do
    part=${word%%[=@]*}
    [[ $part ]] || part=${word:0:1}
    COMP_WORDS+=("$part") word=${word#"$part"}
  done
  COMP_WORDS+=("$word")
done
[[ $word == [=@] ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE}
_weir weir "${COMP_WORDS[COMP_CWORD]}" ''
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
)--";

// An interactive zsh at a terminal of its own, whose compadd says what it is given. Gets a script to read, or
// a folder where zsh finds it, and lines; an empty line ends what was found for each.
constexpr const char* kZsh = R"--(
zmodload zsh/zpty
zpty inner zsh -f -i
[[ -d $1 ]] && zpty -w inner "fpath=(${(q)1} \$fpath)"
zpty -w inner 'PROMPT= PS2=; stty -echo; autoload -Uz compinit; compinit -u -D'
[[ -f $1 ]] && zpty -w inner "source ${(q)1}"
zpty -w inner 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)* ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- "<<"${^hits}">>"
}
at_end() { print -r -- "<<END>>" }
asked() { comppostfuncs=(at_end); _main_complete }
zle -C asked complete-word asked; bindkey "^I" asked; print -r -- "<<READY>>"'
zpty -r inner text $'*\n<<READY>>*' || exit 3
for typed in "${@:2}"; do
  zpty -w -n inner $'\x15'"$typed"$'\t'
  zpty -r inner text '*<<END>>*' || exit 4
  for line in "${(@f)${text//$'\r'/}}"; do
    [[ $line == *'<<'*'>>'* && $line != *'<<END>>'* ]] && print -r -- ${${line##*<<}%>>*}
  done
  print
done
zpty -d inner
exit 0
)--";

class Completion : public testing::Test {
 protected:
  Completion() {
    project_.file("weir.toml",
                  "weir = 1\n[element.bar]\nkind = \"stack\"\n[element.\"at@home\"]\nkind = \"stack\"\n");
    project_.file("elements/base/zlib.toml", "kind = \"stack\"\n");
    project_.file("elements/base/zoo.toml", "this is no TOML");
    project_.file("elements/$(touch trapped).toml", "kind = \"stack\"\n");
    project_.file("elements/`touch trapped`.toml", "kind = \"stack\"\n");
    project_.file("elements/with blank.toml", "kind = \"stack\"\n");
    project_.file("elements/;touch trapped;.toml", "kind = \"stack\"\n");
    project_.file("folder/file.jsonl", "");
    project_.file("drive.bash", kBash).file("drive.zsh", kZsh);
  }
  ~Completion() override { EXPECT_FALSE(fs::exists(project_.path() + "/trapped")); }

  const std::string& folder() const { return project_.path(); }
  static std::string share() { return InstalledWeir::instance().prefix() + "/share/"; }

  static std::string path_variable() {
    return "PATH=" + fs::path(WEIR_BINARY).parent_path().string() + ":/usr/bin:/bin";
  }

  std::string run(Words words) const {
    Words all = {"-u", "WEIR_LOG", path_variable(), "HOME=" + folder(), "LC_ALL=C.UTF-8", "TERM=dumb"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(folder(), all);
  }
  Words bash(Words line) const {
    line.insert(line.begin(), {"bash", "--norc", "drive.bash", share() + "bash-completion/completions/weir"});
    return sorted(lines_in(run(line)));
  }
  std::vector<Words> zsh(const std::vector<Words>& lines, const std::string& script) const {
    Words call = {"zsh", "-f", "drive.zsh", script};
    for (const auto& line : lines) call.push_back(text_of(line));
    std::vector<Words> found(1);
    for (const auto& one : lines_in(run(call))) {
      if (one.empty()) found.emplace_back();
      else found.back().push_back(one);
    }
    found.pop_back();
    for (auto& words : found) words = sorted(std::move(words));
    return found;
  }
  Words zsh(const Words& line) const { return zsh({line}, share() + "zsh/site-functions/_weir").front(); }
  // fish shows a text behind each, and a whole option with its value.
  Words fish(const Words& line) const {
    const auto script = share() + "fish/vendor_completions.d/weir.fish";
    auto found = lines_in(
        run({"fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, text_of(line)}));
    for (auto& one : found) {
      one = one.substr(0, one.find('\t'));
      if (one.starts_with("--") && one.find('=') != one.npos) one = one.substr(one.find('=') + 1);
    }
    return sorted(found);
  }
  static std::string text_of(const Words& line) {
    std::string text;
    for (const auto& word : line) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  TempProject project_;
};

struct Line {
  Words words;  // the last one is under the cursor
  Words found;
};

TEST_F(Completion, is_the_same_in_all_shells) {
  const std::vector<Line> all = {
      {{"weir", "b"}, {"build"}},
      {{"weir", "-q", "--color", "never", "pu"}, {"pull", "push"}},
      {{"weir", "cache", ""}, {"gc", "rm", "stat", "verify"}},
      {{"weir", "ctl", "--run", "3", "su"}, {"submit", "suspend"}},
      {{"weir", "help", "ca"}, {"cache"}},
      {{"weir", "help", "cache", "g"}, {"gc"}},
      {{"weir", "completion", ""}, {"bash", "files", "fish", "zsh"}},
      {{"weir", "build", "--on-e"}, {"--on-error"}},
      {{"weir", "ctl", "suspend", "--ru"}, {"--run"}},
      {{"weir", "build", "--colo"}, {"--color"}},
      {{"weir", "build", "--on-error", ""}, {"continue", "quit", "terminate"}},
      {{"weir", "build", "--on-error=c"}, {"continue"}},
      {{"weir", "--color", "a"}, {"always", "auto"}},
      {{"weir", "build", "--sandbox", "s"}, {"staged"}},
      {{"weir", "show", "--deps", ""}, {"all", "build", "none", "run"}},
      {{"weir", "checkout", "--deps", ""}, {"none", "run"}},
      {{"weir", "graph", "--format", "m"}, {"mermaid"}},
      {{"weir", "plugin", "new", "x", "--type", "a"}, {"allocator"}},
      {{"weir", "ctl", "worker", ""}, {"drain", "remove", "return"}},
      {{"weir", "build", ""}, {"at@home", "bar", "base/zlib", "base/zoo"}},
      {{"weir", "build", "base/z"}, {"base/zlib", "base/zoo"}},
      {{"weir", "build", "bar", "-q", "base/zl"}, {"base/zlib"}},
      {{"weir", "build", "--", "bar", "base/zl"}, {"base/zlib"}},
      {{"weir", "why", "--json", "ba"}, {"bar", "base/zlib", "base/zoo"}},
      {{"weir", "ctl", "cancel", "bar"}, {"bar"}},
      {{"weir", "-C", "/", "build", ""}, {}},
      {{"weir", "build", "nothing"}, {}},
      {{"weir", "build", "--requestor", ""}, {}},
      {{"weir", "build", "--events", "wei"}, {"weir.toml"}},
      {{"weir", "sim", "lane", "wei"}, {"weir.toml"}},
  };
  std::vector<Words> lines;
  for (const auto& line : all) lines.push_back(line.words);
  const auto in_zsh = zsh(lines, share() + "zsh/site-functions");
  ASSERT_EQ(in_zsh.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(bash(all[i].words), all[i].found) << "bash: " << text_of(all[i].words);
    EXPECT_EQ(in_zsh[i], all[i].found) << "zsh: " << text_of(all[i].words);
    EXPECT_EQ(fish(all[i].words), all[i].found) << "fish: " << text_of(all[i].words);
  }
}

TEST_F(Completion, offers_nothing_where_no_word_is_taken) {
  EXPECT_EQ(bash({"weir", "why", "bar", ""}), Words{});
  EXPECT_EQ(fish({"weir", "why", "bar", ""}), Words{});
}

TEST_F(Completion, folders_are_offered_where_folders_are_wanted) {
  for (const auto& line : {Words{"weir", "-C", "fol"}, {"weir", "checkout", "bar", "fol"}}) {
    EXPECT_EQ(bash(line), Words{"folder"});
    EXPECT_EQ(zsh(line), Words{"folder"});
    EXPECT_EQ(fish(line), Words{"folder/"});
  }
}

TEST_F(Completion, a_folder_of_the_line_is_that_of_the_project) {
  for (const auto& option : {Words{"-C", ".."}, {"-C.."}, {"-C", "~/folder"}}) {
    Words line = {"weir"};
    line.insert(line.end(), option.begin(), option.end());
    line.insert(line.end(), {"build", "ba"});
    fs::create_directories(folder() + "/folder/deep");
    EXPECT_EQ(bash(line).size(), option.back() == "~/folder" ? 3u : 0u) << text_of(line);
    EXPECT_EQ(zsh(line), bash(line)) << text_of(line);
    EXPECT_EQ(fish(line), bash(line)) << text_of(line);
  }
}

TEST_F(Completion, what_is_typed_is_never_run) {
  for (const auto& word : {"$(touch trapped)", "`touch trapped`", "'$(touch trapped)", "\"$(touch trapped)",
                           "a;touch", "<(touch trapped)"}) {
    EXPECT_EQ(bash({"weir", "build", word}), Words{}) << word;
    EXPECT_EQ(bash({"weir", "-C", word, "build", ""}), Words{}) << word;
    fish({"weir", "-C", word, "build", ""});
    zsh({"weir", "-C", word, "build", "x"});
  }
}

// bash cuts words at "@" and "=" and puts quotes to what it inserts: seen at a terminal.
TEST_F(Completion, bash_inserts_what_is_meant) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"weir build at", "weir build at@home "},
      {"weir build at@", "weir build at@home "},
      {"weir --color=al", "weir --color=always "},
      {"weir build --on-error=cont", "weir build --on-error=continue "},
      {"weir build 'bar", "weir build 'bar' "},
      {"weir checkout bar fol", "weir checkout bar folder/"},
      {"weir build --events=wei", "weir build --events=weir.toml "},
  };
  Terminal terminal(project_, {"/usr/bin/env", "PS1=> ", path_variable(), "INPUTRC=/dev/null", "/bin/bash",
                               "--norc", "--noprofile", "-i"});
  terminal.type("bind 'set enable-bracketed-paste off'; source '" + share() +
                "bash-completion/completions/weir'; echo \"re\"ady\n");
  ASSERT_TRUE(terminal.see("ready"));
  for (const auto& [typed, shown] : all) {
    terminal.type(typed + "\t");
    EXPECT_TRUE(terminal.see(shown)) << terminal.screen();
    terminal.type("\x15");
  }
  terminal.type("exit\n");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(Completion, elements_are_told_of_quietly_whatever_the_project_is) {
  const auto found = weir(project_, {"completion", "elements", "base/"});
  EXPECT_EQ(found.exit, 0);
  EXPECT_EQ(found.out, "base/zlib\nbase/zoo\n");
  EXPECT_EQ(found.err, "");
  EXPECT_FALSE(fs::exists(project_.cache()));

  project_.file("weir.toml", "this [is no TOML");
  EXPECT_EQ(weir(project_, {"completion", "elements"}).out, "base/zlib\nbase/zoo\n");
  for (const auto& directory : {"/", "/no/such/folder", "weir.toml", "folder"}) {
    const auto outside = weir(project_, {"-C", directory, "completion", "elements"});
    EXPECT_EQ(outside.exit, 0) << directory;
    EXPECT_EQ(outside.err, "") << directory;
  }
  EXPECT_FALSE(fs::exists(project_.cache()));
}

TEST_F(Completion, files_are_written_where_an_installation_has_them) {
  EXPECT_EQ(weir(project_, {"completion", "files", folder() + "/prefix"}).exit, 0);
  const auto installed = InstalledWeir::instance().prefix();
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(installed + "/share")) {
    const auto is_document = entry.path().string().starts_with(installed + "/share/doc/");
    if (entry.is_directory() || is_document) continue;
    EXPECT_EQ(content(fs::path(folder() + "/prefix") / entry.path().lexically_relative(installed)),
              content(entry.path()));
    ++files;
  }
  EXPECT_GT(files, 20u);
  EXPECT_EQ(weir(project_, {"completion", "bash"}).out,
            content(installed + "/share/bash-completion/completions/weir"));
  const auto refused = weir(project_, {"completion", "files", folder() + "/weir.toml"});
  EXPECT_EQ(refused.exit, 4);
  EXPECT_NE(refused.err.find("weir.toml/share"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace weir::test
