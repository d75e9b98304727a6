// kill -9 of weir at 200 random moments, with and without a gc at the same time: whatever it was doing, the
// next build finishes, what it builds is right, the store is clean, and nothing is left of the one that died.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <set>
#include <thread>

#include "core/base/fd.h"
#include "core/base/random.h"
#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 20261;
constexpr int kLanes = 4;  // each with a store of its own; a round mostly waits for the disk
constexpr int kRoundsPerLane = 50;
constexpr int kRoundsPerVerify = 10;

// Everything is built anew in each round: the environment is part of the keys.
std::string project_text(const std::string& tag, int round) {
  return "weir = 1\n[project]\nname = \"t\"\ndefault = [\"both\"]\n[env]\nTAG = \"" + tag + "\"\nROUND = \"" +
         std::to_string(round) + "\"\n" + R"(
[element.one]
kind = "script"
source = [{kind = "local", path = "src"}]
config.commands = ["cat said > $WEIR_OUT/one", "echo $ROUND >> $WEIR_OUT/one"]
[element.two]
kind = "script"
config.commands = ["echo two $ROUND > $WEIR_OUT/two"]
[element.both]
kind = "script"
build-depends = ["one", "two"]
config.commands = ["cat $WEIR_PREFIX/one $WEIR_PREFIX/two > $WEIR_OUT/both"]
)";
}

// What is waited for before the random delay, so that every part of a run is hit on slow and fast machines
// alike.
struct KillMoment {
  const char* event;  // "": the start of weir
  int times = 1;
  std::uint64_t within_us;
};
constexpr std::array<KillMoment, 10> kMoments{{
    {"", 1, 8'000},             // loading, importing, planning
    {"", 1, 60'000},            // anything
    {"run.plan", 1, 3'000},     // asking the store
    {"job.start", 1, 4'000},    // staging
    {"job.process", 1, 8'000},  // building
    {"job.process", 3, 8'000},
    {"job.step", 1, 2'000},  // collecting
    {"job.end", 1, 3'000},   // committing, while others are built
    {"job.end", 3, 3'000},
    {"run.end", 1, 12'000},  // the last commits
}};

// Where weir makes its groups; nothing if there is no cgroup2.
std::string own_cgroup() {
  std::ifstream mounts("/proc/self/mounts");
  const auto groups = content("/proc/self/cgroup");
  const auto at = groups.find("0::");
  if (at == groups.npos) return {};
  const auto own = groups.substr(at + 3, groups.find('\n', at) - at - 3);
  for (std::string device, path, type, rest; mounts >> device >> path >> type && std::getline(mounts, rest);)
    if (type == "cgroup2") return path + own;
  return {};
}

std::set<std::string> cgroups_of(const std::set<pid_t>& weirs) {
  std::set<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(own_cgroup(), ignored)) {
    const auto name = entry.path().filename().string();
    for (const auto pid : weirs)
      if (name.rfind("weir." + std::to_string(pid) + ".", 0) == 0) found.insert(entry.path());
  }
  return found;
}

// It is there, and nobody is at it.
bool is_forgotten(const std::string& cgroup) {
  const UniqueFd directory(::open(cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory && ::flock(directory.get(), LOCK_EX | LOCK_NB) == 0 && fs::exists(cgroup);
}

class Lane {
 public:
  explicit Lane(int number) : seed_(kSeed + static_cast<std::uint64_t>(number)) {
    project_.file("src/said", "said\n");
  }

  void run() {
    for (int round = 0; round < kRoundsPerLane && !testing::Test::HasFailure(); ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed_) + ", round " + std::to_string(round));
      project_.file("weir.toml", project_text(tag_, round));
      kill_a_build(round);
      expect_right_build(round);
      expect_nothing_left();
      if (round % kRoundsPerVerify != kRoundsPerVerify - 1) continue;
      const auto verified = weir(project_, {"cache", "verify"});
      EXPECT_EQ(verified.exit, 0) << verified.out << verified.err;
    }
  }
  int died() const { return died_; }

 private:
  void wait_until(WeirProcess& process, const KillMoment& moment) {
    for (int i = 0; i < moment.times && *moment.event; ++i) process.wait_for_line(moment.event);
    const auto nanoseconds = static_cast<long>(random_.below(moment.within_us * 1000));
    const timespec delay{0, nanoseconds};
    ::ppoll(nullptr, 0, &delay, nullptr);  // the random moment itself
  }

  void kill_a_build(int round) {
    const auto& moment = kMoments[static_cast<std::size_t>(round) % kMoments.size()];
    WeirProcess process(project_, {"-q", "build", "--events", "-"});
    std::optional<WeirProcess> gc;
    const bool with_gc = random_.chance(0.3), kill_gc = random_.chance(0.5);
    if (with_gc) gc.emplace(project_, std::vector<std::string>{"cache", "gc"});
    wait_until(process, moment);
    process.signal(SIGKILL);
    if (gc && kill_gc) gc->signal(SIGKILL);
    killed_.insert(process.pid());
    died_ += process.wait().exit == 128 + SIGKILL;
    if (!gc) return;
    const int exit = gc->wait().exit;
    EXPECT_TRUE(exit == 0 || (kill_gc && exit == 128 + SIGKILL)) << exit;
  }

  void expect_right_build(int round) {
    const auto built = weir(project_, {"-q", "build"});
    ASSERT_EQ(built.exit, 0) << built.err;
    const auto out = project_.path() + "/out";
    fs::remove_all(out);
    ASSERT_EQ(weir(project_, {"checkout", "both", out}).exit, 0);
    const auto number = std::to_string(round);
    ASSERT_EQ(content(out + "/both"), "said\n" + number + "\ntwo " + number + "\n");
  }

  void expect_nothing_left() {
    EXPECT_TRUE(
        eventually([&] { return processes_with(tag_).empty() && processes_with(project_.path()).empty(); }));
    EXPECT_EQ(content("/proc/self/mountinfo").find(project_.path()), std::string::npos);
    expect_no_cgroups();
    EXPECT_EQ(work_left(), std::set<std::string>());
  }

  // A weir of another lane may be removing one, and then has its lock; and it may be killed while it does:
  // then it is for the next weir to do.
  void expect_no_cgroups() {
    for (int weirs = 0; weirs < 4; ++weirs) {
      const auto is_settled = [&] {
        const auto left = cgroups_of(killed_);
        return left.empty() || std::any_of(left.begin(), left.end(), is_forgotten);
      };
      EXPECT_TRUE(eventually(is_settled));
      if (cgroups_of(killed_).empty()) return;
      EXPECT_EQ(weir(project_, {"-q", "build"}).exit, 0);
    }
    ADD_FAILURE() << "of a killed weir: " << *cgroups_of(killed_).begin();
  }

  std::set<std::string> work_left() const {
    std::set<std::string> found;
    for (const auto& project : fs::directory_iterator(project_.cache() + "/projects"))
      for (const auto& run : fs::directory_iterator(project.path() / "runs"))
        if (const auto work = run.path() / "elements"; fs::exists(work) && !fs::is_empty(work))
          found.insert(work);
    return found;
  }

  const std::uint64_t seed_;
  Random random_{seed_};
  TempProject project_;
  const std::string tag_ = "tag-of-" + project_.path();
  std::set<pid_t> killed_;
  int died_ = 0;  // before their own end
};

TEST(Kill, at_any_moment_costs_nothing_but_the_time) {
  std::array<int, kLanes> died{};
  std::vector<std::thread> lanes;
  for (int i = 0; i < kLanes; ++i)
    lanes.emplace_back([i, &died] {
      Lane lane(i);
      lane.run();
      died[static_cast<std::size_t>(i)] = lane.died();
    });
  for (auto& lane : lanes) lane.join();
  EXPECT_GT(std::accumulate(died.begin(), died.end(), 0), kLanes * kRoundsPerLane / 2);
}

// Nobody else may come along for a long time.
TEST(Kill, what_is_left_is_removed_by_a_run_without_work_too) {
  TempProject project;
  const std::string tag = "tag-of-" + project.path();
  project.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[env]\nTAG = \"" + tag + R"("
[element.done]
kind = "script"
config.commands = ["true"]
[element.endless]
kind = "script"
config.commands = ["exec sleep 1000"]
)");
  ASSERT_EQ(weir(project, {"-q", "build", "done"}).exit, 0);
  WeirProcess process(project, {"-q", "build", "endless", "--events", "-"});
  ASSERT_NE(process.wait_for_line("job.process"), "");
  const std::set<pid_t> killed{process.pid()};
  const bool has_cgroups = !cgroups_of(killed).empty();
  process.signal(SIGKILL);
  EXPECT_EQ(process.wait().exit, 128 + SIGKILL);
  const auto without_work = weir(project, {"build", "done", "--json"});
  EXPECT_EQ(without_work.exit, 0) << without_work.err;
  EXPECT_NE(without_work.out.find("\"built\":0,\"cached\":1"), std::string::npos) << without_work.out;
  EXPECT_TRUE(eventually([&] { return processes_with(tag).empty(); }));
  for (const auto& left : cgroups_of(killed)) EXPECT_FALSE(is_forgotten(left)) << left;
  if (!has_cgroups) GTEST_SKIP() << "weir makes no cgroups here";
}

}  // namespace
}  // namespace weir::test
