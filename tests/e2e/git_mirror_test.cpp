// The mirrors of git sources: what damage to them, or the death of a process that uses one, may not do.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/e2e/file_modes.h"
#include "tests/e2e/git_repository.h"
#include "tests/e2e/search_path.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

TEST(GitMirror, a_mirror_that_is_damaged_is_made_again) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  ASSERT_EQ(build(project, {"--track"}).finished.exit, 0);
  remote.commit("file", "two");
  fs::remove_all(mirror_of(project) + "/objects");
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(built_file(project, "file"), "two");
}

TEST(GitMirror, a_mirror_that_lost_an_object_never_becomes_an_artifact) {
  for (const std::string lost : {"HEAD:dir/one", "HEAD:dir", "HEAD^{tree}", "HEAD"}) {
    SCOPED_TRACE(lost);
    const FetchedGit git;
    ASSERT_TRUE(fs::remove(git.object(lost))) << git.object(lost);
    git.forget_store();
    git.expect_whole_artifact();
  }
}

TEST(GitMirror, a_mirror_with_a_damaged_object_never_becomes_an_artifact) {
  const FetchedGit git;
  const auto object = git.object("HEAD:dir/one");
  const auto other = content(git.object("HEAD:dir/two"));
  fs::remove(object);
  std::ofstream(object, std::ios::binary) << other;  // readable, but not what its name says
  git.forget_store();
  git.expect_whole_artifact();
  fs::permissions(git.object("HEAD:dir/two"), fs::perms::owner_all);
  fs::resize_file(git.object("HEAD:dir/two"), 3);
  git.forget_store();
  git.expect_whole_artifact();
}

TEST(GitMirror, a_damaged_commit_that_a_killed_fetch_left_is_no_failure_of_the_server) {
  FetchedGit git;
  git.commit("dir/new", "3");
  const auto half_written = git.object("HEAD");  // no ref of the mirror leads to it
  fs::create_directories(fs::path(half_written).parent_path());
  std::ofstream(half_written) << "half";
  ASSERT_EQ(weir(git.project(), {"track"}).exit, 0);
  git.expect_whole_artifact();
  EXPECT_EQ(built_file(git.project(), "dir/new"), "3");
}

TEST(GitMirror, an_incomplete_mirror_without_its_server_is_a_failure_of_the_source) {
  const FetchedGit git;
  const auto kept = git.object("HEAD:dir/two");
  fs::remove(git.object("HEAD:dir/one"));
  git.forget_store();
  git.remove_remote();
  const auto run = weir(git.project(), {"build", "--events", "-"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_EQ(failures_of(run), "source");
  EXPECT_TRUE(says(run.err, "incomplete or damaged")) << run.err;
  EXPECT_TRUE(says(run.err, "remote: it does not exist")) << run.err;
  EXPECT_FALSE(says(run.err, "mirror_git")) << "the text of the shell program: " << run.err;
  EXPECT_TRUE(fs::exists(kept)) << "a damaged mirror stays until it can be replaced";
}

TEST(GitMirror, a_file_of_the_mirror_that_grew_out_of_bounds_is_not_read) {
  TempProject project;
  const GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one");
  project.file("weir.toml", importing(R"({ kind = "git", url = "remote" })"));
  ASSERT_EQ(build(project, {"--track"}).finished.exit, 0);
  fs::resize_file(mirror_of(project) + "/HEAD", 1LL << 40);
  remote.commit("file", "two");
  ASSERT_EQ(build(project, {"--track"}).finished.exit, 0);
  EXPECT_EQ(built_file(project, "file"), "two");
}

TEST(GitMirror, a_job_that_cannot_write_does_not_cost_the_mirror) {
  struct Trouble {
    std::string words, message;
  };
  for (const auto& [words, message] :
       {Trouble{" checkout ", "error: unable to write file dir/one"},
        Trouble{"/sources/git/", "fatal: write error: No space left on device"}}) {
    SCOPED_TRACE(message);
    const FetchedGit git;
    const auto mark = git.mirror() + "/mark";
    std::ofstream(mark) << "of this mirror";
    git.forget_store();
    {
      const SearchPath path(git_that(git.project(), "case \"$*\" in *'-C '*'" + words + "'*) echo '" +
                                                        message + "' >&2; exit 1 ;; esac"));
      const auto run = weir(git.project(), {"build", "--events", "-"});
      EXPECT_EQ(run.exit, 4) << run.err;
      EXPECT_EQ(failures_of(run), "infra");
      EXPECT_TRUE(says(run.err, message)) << run.err;
    }
    EXPECT_TRUE(fs::exists(mark)) << "the mirror was fetched again";
    git.expect_whole_artifact();
  }
}

// git waits for the other end of a fifo; this one takes the place of an object after git was started.
TEST(GitMirror, a_fifo_in_the_mirror_does_not_hold_up_a_git_that_runs) {
  const FetchedGit git;
  const auto done = git.project().path() + "/done", object = git.object("HEAD:dir/one");
  git.forget_store();
  const SearchPath path(git_that(git.project(), "case \"$*\" in *' refs/weir/'*) [ -e " + done +
                                                    " ] || { : >" + done + "; rm -f " + object + "; mkfifo " +
                                                    object + "; } ;; esac"));
  git.expect_whole_artifact();
  EXPECT_TRUE(fs::exists(done));
}

// Reads /proc/<pid>/stat: the process that started this one.
pid_t parent_process(pid_t pid) {
  const auto stat = content("/proc/" + std::to_string(pid) + "/stat");
  const auto end = stat.rfind(") ");
  return end == std::string::npos ? 0 : std::stoi(stat.substr(end + 4));
}

// A fetch in which a git stops just after a fifo took the place of an object that it will read.
class FetchBeforeFifo {
 public:
  FetchBeforeFifo() : path_(git_that(git_.project(), script())) {
    EXPECT_EQ(::mkfifo(gate().c_str(), 0600), 0);
    gate_ = ::open(gate().c_str(), O_RDWR | O_CLOEXEC);
    git_.forget_store();
    weir_.emplace(git_.project(), std::vector<std::string>{"build"});
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(done()); }));
    // That git, its shells and, as the last one, weir-init.
    for (auto pid = std::stoi(content(done())); pid > 1; pid = parent_process(pid)) {
      chain_.push_back(pid);
      if (content("/proc/" + std::to_string(pid) + "/comm") == "weir-init\n") break;
    }
  }
  ~FetchBeforeFifo() { ::close(gate_); }
  FetchBeforeFifo(const FetchBeforeFifo&) = delete;
  FetchBeforeFifo& operator=(const FetchBeforeFifo&) = delete;
  const std::vector<pid_t>& chain() const { return chain_; }
  // All other processes of the job.
  std::vector<pid_t> helpers() const {
    std::vector<pid_t> found;
    for (const auto pid : processes_with("WEIR_CACHE=" + git_.project().cache())) {
      if (std::find(chain_.begin(), chain_.end(), pid) != chain_.end()) continue;
      auto above = pid;
      while (above > 1 && above != chain_.back()) above = parent_process(above);
      if (above == chain_.back()) found.push_back(pid);
    }
    return found;
  }
  void expect_end() {
    EXPECT_EQ(::write(gate_, "\n", 1), 1);
    EXPECT_TRUE(eventually([&] { return state_of(weir_->pid()) == 'Z'; }, std::chrono::milliseconds(5)));
    weir_.reset();
    git_.expect_whole_artifact();
  }

 private:
  std::string done() const { return git_.project().path() + "/done"; }
  std::string gate() const { return git_.project().path() + "/gate"; }
  std::string script() const {
    const auto object = git_.object("HEAD:dir/one");
    return "case \"$*\" in *' refs/weir/'*) [ -e " + done() + " ] || { rm -f " + object + "; mkfifo " +
           object + "; read -r pid rest </proc/self/stat; echo $pid >" + done() + ".new; mv " + done() +
           ".new " + done() + "; read -r line <" + gate() + "; } ;; esac";
  }
  FetchedGit git_;
  SearchPath path_;
  int gate_ = -1;
  std::optional<WeirProcess> weir_;
  std::vector<pid_t> chain_;
};

TEST(GitMirror, a_fifo_does_not_hold_up_a_fetch_whose_helpers_were_killed) {
  FetchBeforeFifo fetch;
  for (const auto pid : fetch.helpers()) ::kill(pid, SIGKILL);
  fetch.expect_end();
}

TEST(GitMirror, a_fifo_does_not_hold_up_a_fetch_of_which_any_process_was_killed) {
  std::size_t processes = 1;
  for (std::size_t i = 0; i < processes; ++i) {
    FetchBeforeFifo fetch;
    processes = fetch.chain().size();
    ASSERT_GT(processes, i);
    SCOPED_TRACE(content("/proc/" + std::to_string(fetch.chain()[i]) + "/cmdline").substr(0, 40));
    ::kill(fetch.chain()[i], SIGKILL);
    fetch.expect_end();
  }
}

TEST(GitMirror, lock_files_of_a_killed_git_do_not_block_the_mirror) {
  FetchedGit git;
  for (const std::string lock : {"config.lock", "shallow.lock", "packed-refs.lock", "HEAD.lock", "index.lock",
                                 "FETCH_HEAD.lock", "objects/info/commit-graph.lock"})
    std::ofstream(git.mirror() + "/" + lock);
  std::ofstream(git.mirror() + "/refs/weir/" + git.commit("dir/new", "3") + ".lock");
  ASSERT_EQ(weir(git.project(), {"track"}).exit, 0);
  git.expect_whole_artifact();
  EXPECT_EQ(built_file(git.project(), "dir/new"), "3");
}

TEST(GitMirror, a_lock_of_a_mirror_whose_mode_was_damaged_is_still_one) {
  const FetchedGit git;
  const auto lock = git.mirror() + ".lock";
  ASSERT_EQ(::chmod(lock.c_str(), 0), 0);
  git.forget_store();
  run_weir_bound_by_modes(git.project(), {"--trust", "build"});
  EXPECT_EQ(built_file(git.project(), "dir/two"), "2");
}

}  // namespace
}  // namespace weir::test
