// Four elements that each run make, on two cores, beside one make that has all of it: wall time, and how many
// compilers ran at once. Compilers are real (cc -O2) behind a wrapper that writes down when they begin and
// end. Rounds are interleaved, all with a cold cache; the figures are medians. It reports and never fails on
// a time; it does fail if something was not built.
//
//   cores_bench [--weir PATH] [--rounds N] [--jobs N] [--units N] [--sandbox host|none] [--json FILE]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string weir, json, sandbox = "host";
  int rounds = 5, jobs = 2, units = 16;
};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "cores_bench: {}\n", why);
  std::exit(1);
}

// Runs cc and notes both ends of that beside it.
constexpr const char* kWrapper = R"(#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void note(char sign) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  FILE* out = fopen("times", "a");
  fprintf(out, "%c %lld\n", sign, (long long)now.tv_sec * 1000000000 + now.tv_nsec);
  fclose(out);
}
int main(int argc, char** argv) {
  int status = 1;
  note('+');
  const pid_t child = fork();
  if (child == 0) {
    argv[0] = "cc";
    execvp("cc", argv);
    _exit(127);
  }
  waitpid(child, &status, 0);
  note('-');
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
)";

std::string unit_text(int number) {
  std::string text;
  for (int f = 0; f < 16; ++f)
    text += fmt::format(
        "int f{0}_{1}(int* a, int n) {{ int s = {1}; for (int i = 0; i < n; ++i) for (int j = i; j < n; ++j) "
        "switch ((a[i] ^ a[j]) % 7) {{ case 0: s += a[j] * i; break; case 1: s ^= a[i] << (j & 7); break; "
        "case 2: s -= i * j; break; "
        "case 3: a[i] = s; break; case 4: a[j] += a[i]; break; default: s = s * 31 + a[(i + j) % n]; }} "
        "return s; }}\n",
        number, f);
  return text;
}

std::string makefile(const std::vector<int>& units) {
  std::string text = "OBJECTS =";
  for (const int unit : units) text += fmt::format(" u{}.o", unit);
  return text +
         "\nall: $(OBJECTS)\n%.o: %.c\n\t@./ccw -O2 -c $< -o $@\ninstall:\n\tmkdir -p $(DESTDIR)$(PREFIX)\n"
         "\tcp $(OBJECTS) times $(DESTDIR)$(PREFIX)/\n";
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

struct Spent {
  double wall = 0, cpu = 0;
};

Spent run(const fs::path& directory, std::vector<std::string> words, const fs::path& log) {
  rusage before{}, after{};
  ::getrusage(RUSAGE_CHILDREN, &before);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::unsetenv("MAKEFLAGS");
    if (::chdir(directory.c_str()) == 0) ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  ::getrusage(RUSAGE_CHILDREN, &after);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    give_up(fmt::format("{} in {} failed; see {}", words[0], directory.string(), log.string()));
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return {wall.count(), seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) -
                            seconds(before.ru_stime)};
}

using Moments = std::vector<std::pair<long long, int>>;

void read_times(const fs::path& path, Moments& moments) {
  std::ifstream in(path);
  std::string sign;
  for (long long when; in >> sign >> when;) moments.emplace_back(when, sign == "+" ? 1 : -1);
}

int most_at_once(Moments moments, std::size_t units) {
  if (moments.size() != 2 * units)
    give_up(fmt::format("{} compilers were to run, and {} times were noted", units, moments.size()));
  std::sort(moments.begin(), moments.end());
  int running = 0, most = 0;
  for (const auto& [when, change] : moments) most = std::max(most, running += change);
  return most;
}

// How many units each of the four elements has.
struct Workload {
  std::string name;
  std::vector<int> sizes;
  int units() const {
    int all = 0;
    for (const int size : sizes) all += size;
    return all;
  }
};

class Bench {
 public:
  Bench(Options options, fs::path root) : options_(std::move(options)), root_(std::move(root)) {
    write(root_ / "ccw.c", kWrapper);
    run(root_, {"cc", "-O1", "-static", "-o", "ccw", "ccw.c"}, root_ / "log");
  }

  struct Row {
    std::string workload, what;
    std::vector<double> wall, cpu;
    int most = 0;
  };

  std::vector<Row> measure(const Workload& load) {
    make_one(load);
    make_project(load);
    Row make{load.name, fmt::format("one make -j{}", options_.jobs), {}, {}, 0};
    Row weir{load.name, fmt::format("weir -j{}, four makes", options_.jobs), {}, {}, 0};
    for (int round = 0; round < options_.rounds; ++round) {
      run_one(load, make);
      run_weir(load, weir);
    }
    return {make, weir};
  }

 private:
  void add_units(const fs::path& folder, int first, int count) {
    std::vector<int> units;
    for (int i = first; i < first + count; ++i) {
      write(folder / fmt::format("u{}.c", i), unit_text(i));
      units.push_back(i);
    }
    write(folder / "Makefile", makefile(units));
    fs::copy_file(root_ / "ccw", folder / "ccw", fs::copy_options::overwrite_existing);
  }
  void make_one(const Workload& load) { add_units(root_ / load.name / "one", 0, load.units()); }
  void make_project(const Workload& load) {
    std::string text = "weir = 1\n[project]\nname = \"bench\"\n";
    int first = 0;
    for (std::size_t i = 0; i < load.sizes.size(); ++i) {
      const auto name = fmt::format("e{}", i);
      add_units(root_ / load.name / "four" / name, first, load.sizes[i]);
      first += load.sizes[i];
      text += fmt::format("[element.{0}]\nkind = \"make\"\nsource = [{{kind = \"local\", path = \"{0}\"}}]\n",
                          name);
    }
    write(root_ / load.name / "four/weir.toml", text);
  }
  void run_one(const Workload& load, Row& row) {
    const auto work = root_ / "work";
    fs::remove_all(work);
    fs::copy(root_ / load.name / "one", work, fs::copy_options::recursive);
    const auto built = run(work, {"make", fmt::format("-j{}", options_.jobs)}, root_ / "log");
    const auto installed =
        run(work, {"make", "install", "PREFIX=/x", "DESTDIR=" + (root_ / "out").string()}, root_ / "log");
    note(row, {built.wall + installed.wall, built.cpu + installed.cpu});
    Moments moments;
    read_times(work / "times", moments);
    row.most = std::max(row.most, most_at_once(std::move(moments), static_cast<std::size_t>(load.units())));
  }
  void run_weir(const Workload& load, Row& row) {
    const auto cache = root_ / "cache";
    fs::remove_all(cache);
    ::setenv("WEIR_CACHE_DIR", cache.c_str(), 1);
    const auto project = root_ / load.name / "four";
    note(row, run(project,
                  {options_.weir, "-q", "build", fmt::format("-j{}", options_.jobs), "--sandbox",
                   options_.sandbox},
                  root_ / "log"));
    Moments moments;
    for (std::size_t i = 0; i < load.sizes.size(); ++i) {
      const auto out = root_ / fmt::format("out-e{}", i);
      fs::remove_all(out);
      run(project,
          {options_.weir, "-q", "checkout", "--sandbox", options_.sandbox, fmt::format("e{}", i),
           out.string()},
          root_ / "log");
      read_times(out / "times", moments);
    }
    row.most = std::max(row.most, most_at_once(std::move(moments), static_cast<std::size_t>(load.units())));
  }
  static void note(Row& row, const Spent& spent) {
    row.wall.push_back(spent.wall);
    row.cpu.push_back(spent.cpu);
  }

  Options options_;
  fs::path root_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Of each round for itself, since the machine may have had something else to do in one of them.
double median_ratio(const Bench::Row& row, const Bench::Row& peer) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < row.wall.size(); ++i) ratios.push_back(row.wall[i] / peer.wall[i]);
  return median(ratios);
}

Options parse(int argc, char** argv) {
  Options options;
  options.weir = (fs::canonical("/proc/self/exe").parent_path().parent_path() / "bin/weir").string();
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (i + 1 >= argc) give_up(name + " needs a value");
    const std::string value = argv[++i];
    if (name == "--weir") options.weir = fs::absolute(value).string();
    else if (name == "--json") options.json = value;
    else if (name == "--sandbox") options.sandbox = value;
    else if (name == "--rounds") options.rounds = std::max(1, std::atoi(value.c_str()));
    else if (name == "--jobs") options.jobs = std::max(1, std::atoi(value.c_str()));
    else if (name == "--units") options.units = std::max(4, std::atoi(value.c_str()));
    else give_up("there is no option " + name);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // rows as they come, also into a file
  char folder[] = "/tmp/cores_bench.XXXXXX";
  if (!::mkdtemp(folder)) give_up("no temporary folder can be made");
  Bench bench(options, folder);
  const int n = options.units;
  const Workload loads[] = {{"equal", {n, n, n, n}}, {"one-large", {5 * n / 2, n / 2, n / 2, n / 2}}};
  fmt::print("{} rounds, sandbox {}, {} compilers for each element of the first workload\n\n", options.rounds,
             options.sandbox, n);
  fmt::print("{:<12}{:<24}{:>10}{:>10}{:>10}{:>22}\n", "workload", "", "wall s", "CPU s", "ratio",
             "compilers at once");
  std::string rows;
  for (const auto& load : loads) {
    const auto measured = bench.measure(load);
    for (const auto& row : measured) {
      const auto ratio = median_ratio(row, measured.front());
      fmt::print("{:<12}{:<24}{:>10.2f}{:>10.2f}{:>10.3f}{:>22}\n", row.workload, row.what, median(row.wall),
                 median(row.cpu), ratio, row.most);
      rows += fmt::format(
          "{}{{\"workload\":\"{}\",\"what\":\"{}\",\"wall_seconds\":{:.4f},\"cpu_seconds\":{:.4f},\"ratio\":{"
          ":.4f},\"most_at_once\":{},\"cores\":{}}}",
          rows.empty() ? "" : ",", row.workload, row.what, median(row.wall), median(row.cpu), ratio, row.most,
          options.jobs);
    }
  }
  if (!options.json.empty())
    std::ofstream(options.json) << fmt::format("{{\"name\":\"cores\",\"rows\":[{}]}}\n", rows);
  fs::remove_all(folder);
}
