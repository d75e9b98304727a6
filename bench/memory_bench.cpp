// Eight jobs that each need a third of memory, in a cgroup with a limit: a second weir, which has learnt what
// they need, beside the same commands two at a time (xargs -P2), interleaved; and a first weir, which knows
// nothing. Time and processes killed.
//   memory_bench [--weir FILE] [--rounds N] [--json FILE]
// Needs perl, and the right to make a cgroup with the memory controller (v1 or v2).
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/json_writer.h"
#include "tests/support/memory_cgroup.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace weir;

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kLimit = 480 * kMiB;
constexpr int kJobs = 8;
// Perl itself takes about 5 MiB. A number as an argument: perl makes a constant of one in the text, and then
// has it twice.
const std::string kCommand = fmt::format(
    "perl -e \"my \\$x = chr(97) x shift; select undef, undef, undef, 0.8\" {}", kLimit / 3 - 8 * kMiB);

struct Sample {
  double seconds = 0;
  std::uint64_t killed = 0;
  bool done = false;
};

struct Row {
  std::string name;
  std::vector<Sample> samples;
};

class Bench {
 public:
  Bench(std::string weir, const test::MemoryCgroup& cgroup) : weir_(std::move(weir)), cgroup_(cgroup) {
    std::string text = "weir = 1\n[project]\nname = \"memory\"\n[retry]\ndelay = \"100ms\"\n";
    for (int i = 0; i < kJobs; ++i)
      text += fmt::format("[element.job{}]\nkind = \"script\"\nconfig.commands = ['{}']\n", i, kCommand);
    project_.write("weir.toml", text);
    project_.write("command.sh", kCommand + "\n");
  }

  Sample xargs() {
    return measure(fmt::format("seq {} | xargs -P2 -I% sh {}/command.sh", kJobs, project_.path()));
  }
  Sample first(const std::string& jobs) {
    std::filesystem::remove_all(project_ / "cache");
    return build(jobs, "");
  }
  Sample again(const std::string& jobs) { return build(jobs, "--force"); }

 private:
  Sample build(const std::string& jobs, const std::string& more) {
    return measure(fmt::format(
        "WEIR_CACHE_DIR={0}/cache CI= {1} -q -C {0} build -j {2} --sandbox none {3} >/dev/null 2>&1",
        project_.path(), weir_, jobs, more));
  }
  Sample measure(const std::string& command) {
    const auto before = cgroup_.kills();
    if (!cgroup_.enter()) std::abort();
    const auto start = std::chrono::steady_clock::now();
    const int status = std::system(command.c_str());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!cgroup_.leave()) std::abort();
    return {took.count(), cgroup_.kills() - before, WIFEXITED(status) && WEXITSTATUS(status) == 0};
  }

  std::string weir_;
  const test::MemoryCgroup& cgroup_;
  TemporaryFolder project_;
};

double median(const Row& row) {
  std::vector<double> all;
  for (const auto& sample : row.samples) all.push_back(sample.seconds);
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

void report(const Row& row, double base, JsonWriter& json) {
  std::uint64_t killed = 0;
  std::size_t done = 0;
  for (const auto& sample : row.samples) {
    killed += sample.killed;
    done += sample.done;
  }
  fmt::print("| {:<36} | {:>6.2f} | {:>6.2f} | {:>6} | {:>2} of {} |\n", row.name, median(row),
             median(row) / base, killed, done, row.samples.size());
  json.begin_object()
      .key("workload")
      .value(row.name)
      .key("seconds")
      .value(median(row))
      .key("ratio")
      .value(median(row) / base);
  json.key("killed")
      .value(killed)
      .key("rounds")
      .value(row.samples.size())
      .key("rounds_done")
      .value(done)
      .end_object();
}

}  // namespace

int main(int argc, char** argv) {
  std::string weir = std::filesystem::path(argv[0]).parent_path() / "../bin/weir", file;
  int rounds = 5;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--weir") weir = argv[i + 1];
    else if (option == "--rounds") rounds = std::atoi(argv[i + 1]);
    else if (option == "--json") file = argv[i + 1];
  }
  const auto cgroup = test::MemoryCgroup::make(kLimit);
  if (!cgroup) {
    fmt::print(
        "no cgroup with a limit of memory can be made here (needs root, and the controller of v1 or v2)\n");
    return 0;
  }
  Bench bench(weir, *cgroup);
  Row two{"two at a time (xargs -P2)", {}}, first{"weir -j8, first run", {}},
      second{"weir -j8, second run", {}}, pair{"weir -j2, second run", {}};
  for (int round = 0; round < rounds; ++round) {
    two.samples.push_back(bench.xargs());
    first.samples.push_back(bench.first("8"));
    second.samples.push_back(bench.again("8"));
    pair.samples.push_back(bench.again("2"));
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .key("name")
      .value("memory")
      .key("limit_bytes")
      .value(kLimit)
      .key("jobs")
      .value(kJobs)
      .key("rows")
      .begin_array();
  fmt::print("{} jobs that need a third of {} MiB each; aim: on the second run none killed, at most 1.10\n\n",
             kJobs, kLimit / kMiB);
  fmt::print("| | s | ratio | killed | done |\n| --- | --- | --- | --- | --- |\n");
  for (const auto* row : {&two, &first, &second, &pair}) report(*row, median(two), json);
  json.end_array().end_object();
  if (!file.empty()) std::ofstream(file) << text << '\n';
  return 0;
}
