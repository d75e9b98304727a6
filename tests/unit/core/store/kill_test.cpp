// A process that works on a store is killed at random moments. The worker is this program, started again with
// the environment variable below, so that nothing is forked from a program with threads.
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <iostream>

#include "tests/unit/core/store/store_fixture.h"

extern char** environ;

namespace weir::store::test {

namespace {

constexpr const char* kWhere = "WEIR_STORE_TEST_WORKER";
constexpr int kReport = 3;  // the descriptor on which the worker names each durable key

void work_until_killed(const fs::path& here, std::uint64_t seed) {
  Random random(seed);
  const bool evicts = seed % 2 != 0;
  const auto store = must(Store::open(here / "store"));
  for (int i = 0;; ++i) {
    const auto name = std::to_string(seed) + "-" + std::to_string(i);
    const auto directory = here / "work" / name;
    write_file(directory / "a/file", name, true);
    write_file(directory / "b/file", std::string(random.below(200'000), 'x'));
    const auto pin = must(store->pin(name));
    const auto tree = must(random.chance(0.5) ? store->import(directory) : store->collect(directory)).tree;
    const auto blob = must(store->put_blob(name));
    const Layer layer{tree, name};
    const auto staged =
        must(store->stage({&layer, 1}, random.chance(0.5) ? StageMode::read_only : StageMode::private_copy));
    const auto key = Key::of(name);
    must(must(store->commit(key, {tree, blob, blob, name})).wait());
    const auto line = key.hex();
    if (::write(kReport, line.data(), line.size()) < 0) return;
    if (random.chance(0.3)) must(store->gc({evicts ? 300'000U : 0U, 1.0, 0.5}));
  }
}

struct Worker {
  pid_t pid = -1;
  UniqueFd reports;
};

Worker start_worker(const fs::path& here, std::uint64_t seed) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], kReport);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::setenv(kWhere, (here.string() + ":" + std::to_string(seed)).c_str(), 1);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=Kill.DISABLED_worker";
  std::string disabled = "--gtest_also_run_disabled_tests";
  char* argv[] = {program.data(), filter.data(), disabled.data(), nullptr};
  Worker worker;
  EXPECT_EQ(::posix_spawn(&worker.pid, program.c_str(), &actions, nullptr, argv, environ), 0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::unsetenv(kWhere);
  ::close(ends[1]);
  worker.reports = UniqueFd(ends[0]);
  return worker;
}

// Lets the worker finish a few commits, then kills it a random moment into whatever comes next.
std::vector<Key> kill_at_random(Worker worker, Random& random) {
  const auto commits = random.below(4);
  std::string text;
  char buffer[64 * 16];
  while (text.size() < commits * 64) {
    const auto got = ::read(worker.reports.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  const timespec moment{0, static_cast<long>(random.below(30'000'000))};
  ::ppoll(nullptr, 0, &moment, nullptr);
  EXPECT_EQ(::kill(worker.pid, SIGKILL), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(worker.pid, &status, 0), worker.pid);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the worker ended by itself: " << status;
  for (ssize_t got; (got = ::read(worker.reports.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  std::vector<Key> keys;
  for (std::size_t at = 0; at + 64 <= text.size(); at += 64) keys.push_back(*Key::parse(text.substr(at, 64)));
  return keys;
}

}  // namespace

TEST(Kill, DISABLED_worker) {
  const char* where = std::getenv(kWhere);
  if (!where) GTEST_SKIP() << "started by the other test only";
  const std::string text = where;
  const auto colon = text.rfind(':');
  work_until_killed(text.substr(0, colon), std::stoull(text.substr(colon + 1)));
}

TEST(Kill, two_hundred_kills_at_random_moments_leave_the_store_clean) {
  const TemporaryDirectory here;
  std::size_t commits = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto durable = kill_at_random(start_worker(here.path(), seed), random);
    commits += durable.size();
    fs::remove_all(here.path() / "work");
    const auto store = must(Store::open(here.path() / "store"));
    const auto report = must(store->verify());
    ASSERT_TRUE(report.clean()) << report.damaged.size() << " damaged, " << report.broken.size() << " broken";
    for (const auto& key : durable) ASSERT_TRUE(seed % 2 != 0 || must(store->lookup(key)));  // odd ones evict
    if (seed % 20 == 0) must(store->gc({300'000, 1.0, 0.5}));
  }
  std::cout << "200 kills, seeds 1 to 200, " << commits << " durable commits\n";
}

}  // namespace weir::store::test
