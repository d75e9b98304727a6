// Real runs, changed by the real weir ctl while they go on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "core/base/random.h"
#include "tests/e2e/eventually.h"
#include "tests/e2e/project_texts.h"
#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

std::string head(const std::string& more = {}) {
  return "weir = 1\n[project]\nname = \"t\"\n[sandbox]\nroot = \"none\"\n" + more;
}

// Runs until somebody stops it, or for as long as nobody should have to wait for a test that went wrong.
std::string endless(const std::string& name) { return script(name, "exec sleep 100"); }

std::int64_t number(const std::string& line, const std::string& name) {
  const auto at = line.find("\"" + name + "\":");
  return at == line.npos ? -1 : std::strtoll(line.c_str() + at + name.size() + 3, nullptr, 10);
}

class Control : public testing::Test {
 protected:
  void start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-q", "build", "--events", "-"});
    run.emplace(project, std::move(arguments));
  }
  Finished ctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "ctl");
    return weir(project, std::move(arguments));
  }
  void expect_done(std::vector<std::string> arguments) {
    const auto done = ctl(std::move(arguments));
    EXPECT_EQ(done.exit, 0) << done.err;
  }
  // The end of the run, with all of its events.
  Finished finish() { return run->wait(); }

  TempProject project;
  std::optional<WeirProcess> run;
};

TEST_F(Control, status_shows_the_jobs_and_cancel_ends_one) {
  project.file("weir.toml", head() + endless("long") + script("short", "echo done > $WEIR_OUT/x"));
  start({"-j2"});
  ASSERT_NE(run->wait_for_line("job.process"), "");
  ASSERT_NE(run->wait_for_line("\"result\":\"succeeded\""), "");  // that of short
  const auto status = ctl({"status", "--json"});
  EXPECT_EQ(status.exit, 0) << status.err;
  EXPECT_NE(status.out.find("\"element\":\"long\""), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("\"state\":\"running\""), std::string::npos) << status.out;
  expect_done({"cancel", "long"});
  const auto finished = finish();
  EXPECT_EQ(finished.exit, 130);
  EXPECT_EQ(jobs_with(finished, "job.end", "cancelled"), "build long");
  EXPECT_NE(finished.out.find(R"("ev":"control","what":"cancel","name":"long")"), std::string::npos);
  const auto late = ctl({"status"});
  EXPECT_EQ(late.exit, 2);
  EXPECT_NE(late.err.find("no run"), std::string::npos) << late.err;
}

TEST_F(Control, a_job_stands_still_and_goes_on) {
  project.file("weir.toml", head() + endless("a"));
  start({});
  const auto pid = static_cast<pid_t>(number(run->wait_for_line("job.process"), "pid"));
  ASSERT_GT(pid, 0);
  expect_done({"suspend", "a"});
  ASSERT_NE(run->wait_for_line("job.suspend"), "");
  expect_done({"resume"});  // all of them
  ASSERT_NE(run->wait_for_line("\"what\":\"resume\""), "");
  expect_done({"resume", "a"});
  expect_done({"cancel"});
  EXPECT_EQ(finish().exit, 130);
}

TEST_F(Control, more_targets_are_built_in_the_same_run_for_somebody_else) {
  project.file("weir.toml",
               head() + endless("a") + endless("z") + script("base", "echo 1 > $WEIR_OUT/base") +
                   "[element.more]\nkind = \"script\"\nbuild-depends = [\"base\"]\nconfig.commands = ['cat "
                   "$CMAKE_PREFIX_PATH/base > $WEIR_OUT/more']\n");
  start({"a", "--requestor", "ci", "-j2"});
  ASSERT_NE(run->wait_for_line("job.process"), "");
  const auto unknown = ctl({"submit", "mroe"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("did you mean \"more\""), std::string::npos) << unknown.err;
  expect_done({"submit", "--requestor", "dev", "more"});
  for (const auto* element : {"base", "more"}) {
    const auto began = run->wait_for_line(std::string("\"ev\":\"job.start\""));
    EXPECT_EQ(field(began, "element"), element) << began;
    EXPECT_EQ(field(began, "requestor"), "dev");
  }
  ASSERT_NE(run->wait_for_line("\"result\":\"succeeded\""), "");
  expect_done({"submit", "z"});
  ASSERT_EQ(field(run->wait_for_line("\"ev\":\"job.start\""), "element"), "z");
  expect_done({"cancel", "z"});
  ASSERT_NE(run->wait_for_line("\"result\":\"cancelled\""), "");
  const auto again = ctl({"submit", "z"});
  EXPECT_EQ(again.exit, 2);
  EXPECT_NE(again.err.find("z is cancelled in this run"), std::string::npos) << again.err;
  expect_done({"cancel", "a"});
  EXPECT_EQ(finish().exit, 130);
  EXPECT_EQ(weir(project, {"checkout", "more", project.path() + "/out"}).exit, 0);
  EXPECT_EQ(content(project.path() + "/out/more"), "1\n");
}

TEST_F(Control, tokens_are_given_and_bad_values_change_nothing) {
  project.file("weir.toml", head() + endless("a") + endless("b"));
  start({"-j1"});
  ASSERT_NE(run->wait_for_line("job.process"), "");
  const auto before = ctl({"get"}).out;
  for (const auto& [name, value] : {std::pair{"tokens.process", "-1"},
                                    {"tokens.process", "two"},
                                    {"tokens", "2"},
                                    {"tokens.nothing", "2"},
                                    {"loads", "{\"ci\": 1}"},
                                    {"tokens", "{\"process\": 2, \"upload\": 1.5}"}}) {
    const auto refused = ctl({"set", name, value});
    EXPECT_EQ(refused.exit, 2) << name << " " << value;
    EXPECT_NE(refused.err, "");
  }
  EXPECT_EQ(ctl({"get"}).out, before);
  expect_done({"set", "tokens.process", "2"});
  ASSERT_NE(run->wait_for_line("job.process"), "");  // that of the other one
  EXPECT_EQ(ctl({"get", "tokens.process"}).out, "2\n");
  expect_done({"cancel"});
  EXPECT_EQ(finish().exit, 130);
}

TEST_F(Control, a_worker_is_drained_and_one_that_is_gone_has_its_job_done_elsewhere) {
  project.file("go", "");
  project.file(
      "weir.toml",
      head("[retry]\ndelay = \"1ms\"\n[[worker]]\nname = \"here\"\n[[worker]]\nname = \"there\"\n") +
          script("a", "while [ -e '" + project.path() + "/go' ]; do sleep 0.01; done; echo > $WEIR_OUT/a") +
          endless("b"));
  start({"-j4"});
  const auto first = run->wait_for_line("job.start"), second = run->wait_for_line("job.start");
  EXPECT_EQ(field(first, "worker") + field(first, "element"), "herea");
  EXPECT_EQ(field(second, "worker") + field(second, "element"), "thereb");
  ASSERT_NE(run->wait_for_line("job.process"), "");
  EXPECT_EQ(ctl({"worker", "drain", "nowhere"}).exit, 2);
  expect_done({"worker", "drain", "here"});
  EXPECT_EQ(field(run->wait_for_line("worker.state"), "state"), "draining");
  expect_done({"worker", "remove", "there"});
  EXPECT_EQ(field(run->wait_for_line("job.stop"), "reason"), "preempted");
  EXPECT_EQ(field(run->wait_for_line("job.end"), "element"), "b");
  std::filesystem::remove(project.path() + "/go");
  EXPECT_EQ(field(run->wait_for_line("job.end"), "element"), "a");
  expect_done({"worker", "return", "here"});
  const auto again = run->wait_for_line("job.start");
  EXPECT_EQ(field(again, "worker") + field(again, "element"), "hereb") << again;
  EXPECT_EQ(number(again, "attempt"), 1);
  expect_done({"cancel"});
  const auto finished = finish();
  EXPECT_EQ(jobs_with(finished, "job.end", "succeeded"), "build a");
}

// ---- shares ----

// Four places, and jobs that end when the test says so: all that is looked at is who gets the place of the
// oldest.
class Shares : public Control {
 protected:
  std::string gated(const std::string& name) const {
    return script(name, "until [ -e '" + project.path() + "/" + name + ".go' ]; do sleep 0.01; done; echo " +
                            name + " > $WEIR_OUT/x");
  }
  void let_end(const std::string& name) { project.file(name + ".go", ""); }
  void wait_for_start() {
    const auto line = run->wait_for_line("\"ev\":\"job.start\"");
    ASSERT_NE(line, "") << "the run is over";
    running.push_back({field(line, "element"), field(line, "class")});
  }
  void next() {
    let_end(running.front().element);
    running.pop_front();
    ASSERT_NO_FATAL_FAILURE(wait_for_start());
  }
  // Each place was given anew.
  void settle() {
    for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(next());
  }
  std::string classes() const {
    std::map<std::string, int> counts;
    for (const auto& job : running) ++counts[job.job_class];
    std::string text;
    for (const auto& [name, count] : counts) text += name + " " + std::to_string(count) + " ";
    return text;
  }

  struct Job {
    std::string element, job_class;
  };
  std::deque<Job> running;  // oldest first
};

// Two requestors on four cores, 75 to 25; then 25 to 75, by weir ctl; then one has nothing left to do.
TEST_F(Shares, follow_the_loads_also_when_they_change_and_who_is_idle_leaves_all_to_the_other) {
  std::string text = head(
      "[placement]\nallocate = \"load-based\"\nrebalance-after = \"24h\"\n"
      "[[class]]\nname = \"ci\"\nload = 75\nrequestor = \"ci-.*\"\n[[class]]\nname = \"dev\"\nload = "
      "25\nrequestor = \".*\"\n");
  constexpr int kCi = 40, kDev = 20;
  for (int i = 0; i < kCi; ++i) text += gated("c" + std::to_string(i));
  for (int i = 0; i < kDev; ++i) text += gated("d" + std::to_string(i));
  project.file("weir.toml", text);
  start({"c*", "-j4", "--requestor", "ci-1"});
  for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(wait_for_start());
  EXPECT_EQ(classes(), "ci 4 ");
  expect_done({"submit", "--requestor", "someone", "d*"});
  ASSERT_NO_FATAL_FAILURE(settle());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(classes(), "ci 3 dev 1 ");
    ASSERT_NO_FATAL_FAILURE(next());
  }
  expect_done({"set", "loads", R"({"ci": 25, "dev": 75})"});
  ASSERT_NO_FATAL_FAILURE(settle());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(classes(), "ci 1 dev 3 ");
    ASSERT_NO_FATAL_FAILURE(next());
  }
  const auto is_dev = [](const Job& job) { return job.job_class == "dev"; };
  while (std::any_of(running.begin(), running.end(), is_dev)) ASSERT_NO_FATAL_FAILURE(next());
  EXPECT_EQ(classes(), "ci 4 ");
  for (int i = 0; i < kCi; ++i) let_end("c" + std::to_string(i));
  const auto finished = finish();
  EXPECT_EQ(finished.exit, 0) << finished.err;
  EXPECT_NE(finished.out.find("\"built\":" + std::to_string(kCi + kDev)), std::string::npos);
}

// Jobs that would run for ever: a class gets its share only by stopping those of the other.
TEST_F(Control, a_class_beyond_its_share_loses_its_newest_jobs_and_they_wait_again) {
  std::string text = head(
      "[placement]\nallocate = \"load-based\"\nrebalance-threshold = 20\nrebalance-after = \"10ms\"\n"
      "[[class]]\nname = \"ci\"\nload = 75\nrequestor = \"ci-.*\"\n[[class]]\nname = \"dev\"\nload = "
      "25\nrequestor = \".*\"\n");
  for (const auto* name : {"c0", "c1", "c2", "c3", "d0", "d1", "d2", "d3"}) text += endless(name);
  project.file("weir.toml", text);
  start({"c*", "-j4", "--requestor", "ci-1"});
  const auto running = [&](std::size_t count) {
    std::vector<std::string> elements;
    for (std::size_t i = 0; i < count; ++i)
      elements.push_back(field(run->wait_for_line("\"ev\":\"job.start\""), "element"));
    return elements;
  };
  EXPECT_EQ(running(4), (std::vector<std::string>{"c0", "c1", "c2", "c3"}));
  expect_done({"submit", "--requestor", "someone", "d*"});
  EXPECT_EQ(field(run->wait_for_line("job.stop"), "reason"), "preempted");
  EXPECT_EQ(running(1), std::vector<std::string>{"d0"});
  expect_done({"set", "loads", R"({"ci": 25, "dev": 75})"});
  EXPECT_EQ(running(2), (std::vector<std::string>{"d1", "d2"}));
  expect_done({"cancel", "d0"});
  expect_done({"cancel", "d1"});
  EXPECT_EQ(running(2), (std::vector<std::string>{"d3", "c1"}));
  expect_done({"cancel"});
  const auto finished = finish();
  std::vector<std::string> stopped;
  for (const auto& line : lines_of(finished.out))
    if (field(line, "ev") == "job.end" && line.find("preempted") != line.npos)
      stopped.push_back(field(line, "element"));
  std::sort(stopped.begin(), stopped.end());
  EXPECT_EQ(stopped, (std::vector<std::string>{"c1", "c2", "c3"}));
  EXPECT_EQ(finished.out.find(R"("attempt":2)"), std::string::npos);
}

// ---- anything may knock ----

TEST_F(Control, noise_on_the_socket_does_not_touch_the_run) {
  project.file("weir.toml", head() + endless("a"));
  start({});
  ASSERT_NE(run->wait_for_line("job.process"), "");
  const std::uint64_t seed = 5;
  Random random(seed);
  std::string socket;
  ASSERT_TRUE(eventually([&] { return !(socket = find_below(project.cache(), "control")).empty(); }));
  const auto folder = ::open(std::filesystem::path(socket).parent_path().c_str(), O_PATH | O_CLOEXEC);
  for (int round = 0; round < 200; ++round) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = "/proc/self/fd/" + std::to_string(folder) + "/control";  // sun_path is short
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0)
        << "seed " << seed << " round " << round;
    std::string bytes = round % 2 ? R"({"v":1,"op":"set","name":")" : "";
    for (auto left = random.below(3000); left > 0; --left) bytes += static_cast<char>(random.below(256));
    (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::close(fd);
  }
  ::close(folder);
  EXPECT_EQ(ctl({"status"}).exit, 0);
  expect_done({"cancel"});
  EXPECT_EQ(finish().exit, 130);
}

}  // namespace
}  // namespace weir::test
