// The disk of the cache fills up, at every step of a build: exit 4 with what to do, nothing of before is
// lost, and with room the same build goes on. The disk is a small tmpfs that only the test and its weir see.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/e2e/guest.h"
#include "tests/e2e/project_texts.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1 << 20;

bool write_text(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool done = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return done;
}

std::string size_option(std::uint64_t bytes) { return "size=" + std::to_string(bytes); }

// A tmpfs in namespaces of its own, which live as long as the process that made them.
class SmallDisk {
 public:
  SmallDisk(const std::string& path, std::uint64_t bytes) : path_(path) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    keeper_ = ::fork();
    if (keeper_ == 0) keep(bytes, ends[1]);
    ::close(ends[1]);
    char ready = 0;
    good_ = ::read(ends[0], &ready, 1) == 1;
    ::close(ends[0]);
  }
  ~SmallDisk() {
    if (keeper_ <= 0) return;
    ::kill(keeper_, SIGKILL);
    ::waitpid(keeper_, nullptr, 0);
  }
  bool good() const { return good_; }
  pid_t keeper() const { return keeper_; }

  bool resize(std::uint64_t bytes) const {
    return inside([&] {
      return ::mount(nullptr, path_.c_str(), nullptr, MS_REMOUNT, size_option(bytes).c_str()) == 0;
    });
  }
  // Takes all room but so many bytes.
  bool fill(std::uint64_t leave) const {
    return inside([&] {
      struct statvfs now {};
      const int fd = ::open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      if (fd < 0 || ::statvfs(path_.c_str(), &now) != 0) return false;
      const auto left = now.f_bavail * now.f_frsize;
      return left <= leave || ::fallocate(fd, 0, 0, static_cast<off_t>(left - leave)) == 0;
    });
  }
  bool make_room() const {
    return inside([&] { return ::unlink(filler().c_str()) == 0; });
  }

 private:
  std::string filler() const { return path_ + "/filler"; }
  bool inside(const std::function<bool()>& call) const { return call_as({{}, keeper_, {}, {}}, call); }

  [[noreturn]] void keep(std::uint64_t bytes, int ready) const {
    const auto uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
    const bool made = ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
                      write_text("/proc/self/setgroups", "deny") &&
                      write_text("/proc/self/uid_map", uid + " " + uid + " 1") &&
                      write_text("/proc/self/gid_map", gid + " " + gid + " 1") &&
                      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                      ::mount("none", path_.c_str(), "tmpfs", 0, size_option(bytes).c_str()) == 0;
    ::prctl(PR_SET_DUMPABLE, 1);  // or its namespaces could not be entered by its own user
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!made || ::write(ready, "r", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }

  std::string path_;
  pid_t keeper_ = -1;
  bool good_ = false;
};

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(project_.path() + "/disk");
    disk_.emplace(project_.path() + "/disk", 8 * kMiB);
    if (!disk_->good()) GTEST_SKIP() << "this kernel refuses a mount in a user namespace";
    project(script("lib", "echo lib > $WEIR_OUT/lib"));
    ASSERT_EQ(weir({"build", "lib"}).exit, 0) << weir({"build", "lib"}).err;
  }

  void project(const std::string& elements) {
    project_.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n" + elements);
  }
  // With an element `app` beside what is built already.
  void with_app(const std::string& command, const std::string& more = "") {
    project(script("lib", "echo lib > $WEIR_OUT/lib") +
            script("app", command, "depends = [\"lib\"]\n" + more));
  }

  Finished weir(std::vector<std::string> words) {
    words.insert(words.begin(), WEIR_BINARY);
    const Guest guest{{},
                      disk_->keeper(),
                      project_.path(),
                      {"PATH=/usr/bin:/bin", "WEIR_CACHE_DIR=" + project_.path() + "/disk/cache",
                       "XDG_CONFIG_HOME=" + project_.path() + "/.config"}};
    return run_as(guest, std::move(words));
  }
  bool is_cached(const std::string& element) {
    return weir({"show", "--json", "--deps", "none", element}).out.find("\"state\":\"cached\"") !=
           std::string::npos;
  }

  void expect_full(const Finished& result) {
    EXPECT_EQ(result.exit, 4) << result.err;
    EXPECT_NE(result.err.find("No space left on device"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("make room"), std::string::npos) << result.err;
  }
  // A run that did not begin has none.
  static void expect_reports_agree(const Finished& result, const std::string& junit) {
    if (!result.out.empty()) {
      const auto exit = "\"exit\":" + std::to_string(result.exit) + ",";
      EXPECT_NE(result.out.find(exit), std::string::npos) << result.out;
      EXPECT_EQ(result.out.find("\"result\":\"succeeded\"") == std::string::npos, result.exit != 0)
          << result.out;
    }
    std::ifstream file(junit);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.empty()) return;
    const bool blames =
        text.find("<failure") != std::string::npos || text.find("<error") != std::string::npos;
    EXPECT_EQ(blames, result.exit != 0) << text << result.err;
  }
  void expect_intact() {
    const auto verified = weir({"cache", "verify"});
    EXPECT_EQ(verified.exit, 0) << verified.out << verified.err;
    EXPECT_TRUE(is_cached("lib"));
  }
  void expect_goes_on() {
    const auto built = weir({"build", "app"});
    EXPECT_EQ(built.exit, 0) << built.err;
    EXPECT_TRUE(is_cached("app"));
    expect_intact();
  }

  TempProject project_;
  std::optional<SmallDisk> disk_;
};

TEST_F(FullDisk, by_what_a_command_writes_is_no_fault_of_the_command) {
  with_app("head -c 20M /dev/zero > $WEIR_OUT/big");
  expect_full(weir({"build", "app"}));
  expect_intact();
  ASSERT_TRUE(disk_->resize(64 * kMiB));
  expect_goes_on();
}

TEST_F(FullDisk, is_seen_although_the_command_tidied_up) {
  ASSERT_TRUE(disk_->fill(kMiB));
  with_app("head -c 4M /dev/zero > $WEIR_OUT/big || { rm $WEIR_OUT/big; exit 1; }");
  expect_full(weir({"build", "app"}));
  ASSERT_TRUE(disk_->make_room());
  expect_goes_on();
}

TEST_F(FullDisk, does_not_excuse_a_command_that_fails_with_room_to_spare) {
  with_app("echo No space left on device; exit 1");
  EXPECT_EQ(weir({"build", "app"}).exit, 1);
}

TEST_F(FullDisk, while_sources_are_imported) {
  project_.file("src/big", std::string(20 * kMiB, 'x'));
  with_app("true", "source = [{kind = \"local\", path = \"src\"}]");
  expect_full(weir({"build", "app"}));
  expect_intact();
  project_.file("src/big", "small");
  expect_goes_on();
}

TEST_F(FullDisk, while_sources_are_staged) {
  project_.file("src/big", std::string(5 * kMiB, 'x'));  // once in the store, once in the build folder
  with_app("true", "source = [{kind = \"local\", path = \"src\"}]");
  expect_full(weir({"build", "app"}));
  ASSERT_TRUE(disk_->resize(64 * kMiB));
  expect_goes_on();
}

// A file with two names cannot be moved into the store, so it is copied.
TEST_F(FullDisk, while_an_output_is_collected) {
  with_app("head -c 5M /dev/zero > $WEIR_OUT/big; ln $WEIR_OUT/big $WEIR_OUT/second");
  expect_full(weir({"build", "app"}));
  ASSERT_TRUE(disk_->resize(64 * kMiB));
  expect_goes_on();
}

TEST_F(FullDisk, can_be_emptied_by_gc) {
  project_.file("src/big", std::string(2 * kMiB, 'x'));
  with_app("false", "source = [{kind = \"local\", path = \"src\"}]");
  ASSERT_EQ(weir({"build", "app"}).exit, 1);  // its sources are in the store, and no record needs them
  ASSERT_TRUE(disk_->fill(0));
  const auto collected = weir({"cache", "gc"});
  EXPECT_EQ(collected.exit, 0) << collected.err;
  with_app("head -c 1M /dev/urandom > $WEIR_OUT/big");
  expect_goes_on();
}

struct Bulky {
  const char* part;
  std::string command;
};

// Page by page, so that each thing a build writes is once the one that does not fit: the run's folder,
// sources, recipe, staged files, events, log, output, records.
class FullDiskAtAnyStep : public FullDisk, public testing::WithParamInterface<Bulky> {
 protected:
  // Whether it fitted.
  bool build_with(std::uint64_t free_bytes, int round) {
    project_.file("src/text", "text " + std::to_string(round) + "\n");
    with_app(GetParam().command, "source = [{kind = \"local\", path = \"src\"}]");
    EXPECT_EQ(weir({"cache", "gc"}).exit, 0);
    EXPECT_TRUE(disk_->fill(free_bytes));
    const auto junit = project_.path() + "/junit.xml";
    fs::remove(junit);
    const auto built = weir({"build", "app", "--json", "--junit", junit});
    if (built.exit != 0) expect_full(built);
    expect_reports_agree(built, junit);
    EXPECT_TRUE(disk_->make_room());
    return built.exit == 0;
  }
};

TEST_P(FullDiskAtAnyStep, is_told_and_with_room_the_build_goes_on) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  int pages = 0;
  for (bool fits = false; !fits && pages < 100 && !HasFailure(); ++pages) {
    SCOPED_TRACE(std::to_string(pages) + " pages are free");
    fits = build_with(static_cast<std::uint64_t>(pages) * page, pages);
    expect_goes_on();
  }
  EXPECT_GT(pages, 6);
  EXPECT_LT(pages, 100);
}

INSTANTIATE_TEST_SUITE_P(With, FullDiskAtAnyStep,
                         testing::Values(Bulky{"nothing", "echo log; cat text > $WEIR_OUT/text"},
                                         Bulky{"recipe",
                                               "cat text > $WEIR_OUT/text #" + std::string(20'000, 'x')},
                                         Bulky{"log", "seq 5000; cat text > $WEIR_OUT/text"},
                                         Bulky{"output", "cp text $WEIR_OUT; seq 5000 > $WEIR_OUT/numbers"},
                                         Bulky{"tree", "cd $WEIR_OUT; touch $(seq 500)"}),
                         [](const auto& bulky) { return std::string("a_large_") + bulky.param.part; });

}  // namespace
}  // namespace weir::test
