// The files of git sources: what the user's configuration may not change, what git converts, and what a
// checkout that went wrong must not become.
#include <filesystem>
#include <fstream>

#include "tests/e2e/git_repository.h"
#include "tests/e2e/search_path.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

TEST(GitCheckout, the_git_configuration_of_the_user_does_not_change_files) {
  for (const std::string settings :
       {"[core]\n\tautocrlf = true\n", "[core]\n\teol = crlf\n\tautocrlf = input\n",
        "[submodule]\n\tactive = other\n", "[submodule]\n\trecurse = true\n",
        "[core]\n\tsymlinks = false\n\tsparseCheckout = true\n",
        "[filter \"shout\"]\n\tsmudge = tr a-z A-Z\n"}) {
    SCOPED_TRACE(settings);
    TempProject project;
    const GitRepository inner(project.path() + "/inner");
    fs::create_symlink("deep", inner.path() + "/link");
    inner.commit(".gitattributes", "* filter=shout\n");
    with_submodule(project, "inside\n");
    project.file("weir.toml", importing(kWithSubmodules));
    project.file(".config/git/config", settings);
    const auto run = build(project, {"--track"});
    ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(built_file(project, "file"), "one\n");
    EXPECT_EQ(built_file(project, "sub/link"), "inside\n");
    EXPECT_TRUE(fs::is_symlink(project.path() + "/out/sub/link"));
    EXPECT_EQ(built_file(project, "sub/deep"), "inside\n");
  }
}

TEST(GitCheckout, the_git_attributes_of_the_user_do_not_change_files) {
  TempProject project;
  with_submodule(project, "inside\n");
  project.file("weir.toml", importing(kWithSubmodules));
  project.file(".config/git/attributes", "* text eol=crlf\n");
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "file"), "one\n");
  EXPECT_EQ(built_file(project, "sub/deep"), "inside\n");
}

// Writes beyond 1 MiB fail, as on a full disk.
constexpr auto kLimitFiles = "trap '' XFSZ; ulimit -f 2048";

void expect_whole_or_failed(TempProject& project, const std::string& file, const std::string& text) {
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  {
    const SearchPath path(git_that(project, kLimitFiles));
    const auto run = weir(project, {"build", "--events", "-"});
    EXPECT_EQ(run.exit, 4) << run.err;
    EXPECT_EQ(failures_of(run), "infra");
    EXPECT_TRUE(says(run.err, "unable to write file " + fs::path(file).filename().string())) << run.err;
  }
  ASSERT_EQ(weir(project, {"build"}).exit, 0);
  EXPECT_TRUE(built_file(project, file) == text);
}

// A large file of which git keeps a small object: only the checkout meets the limit.
TEST(GitCheckout, a_file_that_cannot_be_written_as_a_whole_fails_the_fetch) {
  const std::string large(2 << 20, 'x');
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("large", large);
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  expect_whole_or_failed(project, "large", large);
}

TEST(GitCheckout, a_file_of_a_submodule_that_cannot_be_written_as_a_whole_fails_the_fetch) {
  const std::string large(2 << 20, 'x');
  TempProject project;
  with_submodule(project, large);
  project.file("weir.toml", importing(kWithSubmodules));
  expect_whole_or_failed(project, "sub/deep", large);
}

// A git that damages files after it checked them out, and exits with 0.
std::string git_that_spoils(const TempProject& project, const std::string& words, const std::string& folder,
                            const std::string& damage) {
  return git_that(project, "case \"$*\" in *' " + words + " '*) /usr/bin/git \"$@\" && cd \"" + folder +
                               "\" && " + damage + "; exit ;; esac");
}

constexpr const char* kSpoilt[] = {
    "echo 'two' >file",
    ": >file",
    "rm file",
    "rm file && mkdir file",
    "rm file && mkfifo file",
    "rm file && ln -s same file",
    "mv file other && ln -s other file",
    "chmod +x file",
    "chmod -x script",
    "ln -sf other link",
    "rm link && printf same >link",
    "rm -r dir && ln -s . dir",
    "printf 'a\\r\\nc\\r\\n' >mixed",
    ": >mixed",
};

// `file`, `script`, `link`, `mixed` and `dir/file`.
std::string commit_some_of_each_type(const GitRepository& repository) {
  const auto at = repository.path() + "/";
  fs::create_symlink("same", at + "link");
  std::ofstream(at + "same") << "one\n";
  std::ofstream(at + "script") << "true\n";
  fs::permissions(at + "script", fs::perms::owner_all);
  repository.commit("dir/file", "one\n");
  repository.commit_raw("mixed", "a\r\nb\n");
  repository.commit_raw(".gitattributes", "mixed text eol=crlf\n");
  return repository.commit_raw("file", "one\n");
}

void expect_spoilt_checkout_is_refused(const TempProject& project, const std::string& words,
                                       const std::string& folder) {
  for (const std::string damage : kSpoilt) {
    SCOPED_TRACE(damage);
    const SearchPath path(git_that_spoils(project, words, folder, damage));
    const auto run = weir(project, {"build", "--events", "-"});
    EXPECT_EQ(run.exit, 4) << run.err;
    EXPECT_EQ(failures_of(run), "infra");
    EXPECT_TRUE(says(run.err, "the checkout differs from the commit: ")) << run.err;
  }
  EXPECT_EQ(build(project).finished.exit, 0);
}

TEST(GitCheckout, files_that_differ_from_the_commit_fail_the_fetch) {
  TempProject project;
  commit_some_of_each_type(GitRepository(project.path() + "/remote"));
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  expect_spoilt_checkout_is_refused(project, "checkout", "$2");
}

TEST(GitCheckout, files_of_submodules_that_differ_from_the_commit_fail_the_fetch) {
  TempProject project;
  const GitRepository innermost(project.path() + "/innermost");
  commit_some_of_each_type(innermost);
  const GitRepository inner(project.path() + "/inner");
  inner.git({"submodule", "--quiet", "add", "../innermost", "nested"});
  with_submodule(project, "inside\n");
  project.file("weir.toml", importing(kWithSubmodules));
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  expect_spoilt_checkout_is_refused(project, "submodule --quiet update", "sub/nested");
}

TEST(GitCheckout, another_commit_of_a_submodule_fails_the_fetch) {
  TempProject project;
  with_submodule(project, "inside\n");
  project.file("weir.toml", importing(kWithSubmodules));
  ASSERT_EQ(weir(project, {"track"}).exit, 0);
  const SearchPath path(
      git_that_spoils(project, "submodule --quiet update", "sub",
                      "echo two >deep && /usr/bin/git -c user.name=T -c user.email=t@example.org "
                      "commit --quiet -a -m other"));
  const auto run = weir(project, {"build", "--events", "-"});
  EXPECT_EQ(run.exit, 4) << run.err;
  EXPECT_TRUE(says(run.err, "the checkout differs from the commit: sub/deep")) << run.err;
}

// Converted back, most of these are not what was committed.
TEST(GitCheckout, files_that_git_converts_are_as_it_writes_them) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, '0') + "\nsize 12\n";
  struct Converted {
    std::string name, committed, checked_out;
  };
  const Converted files[] = {
      {"committed-crlf", "a\r\nb\r\n", "a\r\nb\r\n"},
      {"lf", "a\nb\n", "a\r\nb\r\n"},
      {"mixed", "a\r\nb\n", "a\r\nb\r\n"},
      {"wide", "ab\n",
       std::string("\xff\xfe"
                   "a\0b\0\n\0",
                   8)},
      {"not-utf8", "\xff\xfe\n", "\xff\xfe\n"},
      {"large", pointer, pointer},
      {"hidden", "h\n", "h\n"},
      {"empty", "", ""},
      {"odd/-r", "a\r\nb\n", "a\r\nb\r\n"},
      {"odd/new\nline", "a\r\nb\n", "a\r\nb\r\n"},
      {"odd/'\"$(false)`false`\\ \xc3\xa9", "a\r\nb\n", "a\r\nb\r\n"},
      {"-odd", "a\r\nb\n", "a\r\nb\r\n"},
  };
  for (const bool submodule : {false, true}) {
    SCOPED_TRACE(submodule);
    TempProject project;
    const GitRepository repository(project.path() + (submodule ? "/inner" : "/remote"));
    fs::create_symlink("nowhere", repository.path() + "/dangling");
    std::ofstream(repository.path() + "/script") << "true\n";
    fs::permissions(repository.path() + "/script", fs::perms::owner_all);
    repository.commit("plain", "a\n");
    repository.commit_raw("id", "$Id$\n");
    for (const auto& file : files) repository.commit_raw(file.name, file.committed);
    repository.commit_raw(".gitattributes",
                          "committed-crlf text\nlf text eol=crlf\nmixed text eol=crlf\n"
                          "wide text working-tree-encoding=UTF-16LE-BOM\nid ident\n"
                          "not-utf8 text working-tree-encoding=UTF-16\n"
                          "large filter=lfs diff=lfs merge=lfs -text\nhidden export-ignore\n"
                          "/odd/* text eol=crlf\n/-odd text eol=crlf\n");
    if (submodule) with_inner_as_submodule(project);
    project.file("weir.toml", importing(submodule ? kWithSubmodules : R"({ kind = "git", url = "remote" })"));
    const auto run = build(project, {"--track"});
    ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
    const std::string folder = submodule ? "sub/" : "";
    for (const auto& file : files) EXPECT_EQ(built_file(project, folder + file.name), file.checked_out);
    EXPECT_EQ(built_file(project, folder + "id").substr(0, 5), "$Id: ");
    EXPECT_EQ(fs::read_symlink(project.path() + "/out/" + folder + "dangling"), "nowhere");
    EXPECT_NE(fs::status(project.path() + "/out/" + folder + "script").permissions() & fs::perms::owner_exec,
              fs::perms::none);
  }
}

TEST(GitCheckout, a_commit_without_files_is_a_source) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.git({"commit", "--quiet", "--allow-empty", "-m", "nothing"});
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  const auto run = build(project, {"--track"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
}

}  // namespace
}  // namespace weir::test
