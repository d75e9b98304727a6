// Loading a project of 10,000 element files, cold (parsed and checked) and warm (from the snapshot of a build
// before it), beside a plain read of the same files in the same run.
//   load_bench [--elements N] [--rounds N] [--json FILE] [DIRECTORY]
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/base/json_writer.h"
#include "core/build/build_plan.h"
#include "core/build/resolve.h"
#include "core/project/load.h"
#include "core/project/targets.h"
#include "core/snapshot/load_whole.h"
#include "core/snapshot/take.h"

namespace {

namespace fs = std::filesystem;

struct Arguments {
  int elements = 10'000;
  int rounds = 5;
  std::string json;
  fs::path folder = fs::temp_directory_path();
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (is("--elements")) arguments.elements = std::max(10, std::atoi(argv[++i]));
    else if (is("--rounds")) arguments.rounds = std::max(1, std::atoi(argv[++i]));
    else if (is("--json")) arguments.json = argv[++i];
    else arguments.folder = argv[i];
  }
  return arguments;
}

template <class T>
T must(weir::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "load_bench: %s\n", result.error().message.c_str());
  std::exit(1);
}

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "load_bench: %s\n", what);
  std::exit(1);
}

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void write_project(const fs::path& root, int elements) {
  fs::create_directories(root / "elements");
  std::ofstream(root / "weir.toml")
      << "weir = 1\n[project]\nname = \"large\"\n[variables]\nflags = \"-O2\"\n";
  for (int i = 0; i < elements; ++i) {
    const auto folder = root / "elements" / std::to_string(i / 1000);
    if (i % 1000 == 0) fs::create_directories(folder);
    std::ofstream file(folder / (std::to_string(i) + ".toml"));
    file << "kind = \"script\"\nenv = { N = \"" << i << "\" }\n"
         << "config.commands = [\"cc %{flags} -o $WEIR_OUT/bin/p" << i << " p.c\"]\n";
    if (i > 2)
      file << "depends = [\"" << (i / 2) / 1000 << "/" << i / 2 << "\", \"" << (i / 3) / 1000 << "/" << i / 3
           << "\"]\n";
  }
}

std::size_t read_all(const fs::path& root) {
  std::size_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    bytes += text.size();
  }
  return bytes;
}

weir::LoadedProject load(const fs::path& root, unsigned threads) {
  weir::LoadOptions options;
  options.directory = root.string();
  options.threads = threads;
  auto loaded = weir::load_project(options);
  check(loaded.ok(), "the project cannot be loaded");
  return loaded;
}

// As a build of everything leaves it; nothing is built for it.
void take_snapshot(const fs::path& root, const fs::path& cache, const std::string& path) {
  auto loaded = load(root, 0);
  weir::Kinds kinds(weir::plugin_path({}, loaded.project.root));
  weir::load_kinds(loaded.project, kinds, loaded.diagnostics);
  const auto resolved = must(weir::resolve_elements(loaded, kinds));
  const std::string everything[] = {"**"};
  const auto targets = must(weir::select_targets(loaded.project, everything));
  const auto graph = weir::make_whole_graph(loaded.project, targets);
  const auto store = must(weir::store::Store::open((cache / "store").string()));
  weir::Host host(cache.string());
  const weir::BuildPlanInput input{
      loaded.project,          graph,          resolved,
      weir::SandboxRoot::host, cache.string(), [](const std::string& element) { return "/bare/" + element; }};
  const auto plan = must(weir::BuildPlan::make(input, graph.chosen, *store, host, loaded.diagnostics));
  check(!loaded.diagnostics.has_errors(), "the project cannot be planned");
  const auto taken = weir::snapshot::take(
      {loaded, plan, targets, "bench", {}, {}, [](weir::ElementId) { return weir::snapshot::Outcome{}; }},
      path);
  check(taken.has_value(), taken ? "" : taken.error().message.c_str());
}

weir::LoadedProject load_warm(const fs::path& root, const std::string& path, std::size_t elements) {
  auto snapshot = weir::snapshot::Snapshot::open(path);
  check(snapshot.has_value(), "there is no snapshot");
  auto loaded = weir::snapshot::load_whole(*snapshot, root.string(), "");
  check(loaded && loaded->project.elements.size() == elements, "the snapshot was not believed");
  return std::move(*loaded);
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

void tell(const Arguments& arguments, const std::map<std::string, std::vector<double>>& times) {
  const std::map<std::string, std::string> aims = {{"load, cold", "100 ms"}, {"load, warm", "10 ms"}};
  const double plain = median(times.at("plain read"));
  std::string text;
  weir::JsonWriter json(text);
  json.begin_object().key("name").value("load").key("rows").begin_array();
  for (const auto& [what, all] : times) {
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    const auto figure = fmt::format("{:.1f} ms ({:.1f} to {:.1f}), {:.2f} x a plain read", median(all) * 1e3,
                                    *low * 1e3, *high * 1e3, median(all) / plain);
    const auto workload = fmt::format("{}, {} element files", what, arguments.elements);
    std::printf("%-48s %s\n", workload.c_str(), figure.c_str());
    json.begin_object()
        .key("workload")
        .value(workload)
        .key("figure")
        .value(figure)
        .key("seconds")
        .value(median(all));
    if (const auto aim = aims.find(what); aim != aims.end() && arguments.elements == 10'000)
      json.key("aim").value(aim->second);
    else json.key("aim").null();
    json.end_object();
  }
  json.end_array().end_object();
  if (!arguments.json.empty()) std::ofstream(arguments.json) << text;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = read_arguments(argc, argv);
  std::string name = arguments.folder / "weir-load-XXXXXX";
  if (!::mkdtemp(name.data())) return std::perror("mkdtemp"), 1;
  const auto here = fs::canonical(name);
  write_project(here / "project", arguments.elements);
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));  // younger files would not be believed
  const auto path = (here / "snapshot").string();
  take_snapshot(here / "project", here / "cache", path);
  std::map<std::string, std::vector<double>> times;
  for (int round = 0; round < arguments.rounds; ++round) {
    times["plain read"].push_back(seconds([&] { read_all(here / "project"); }));
    weir::LoadedProject kept;  // its end is not part of a load
    times["load, cold, one thread"].push_back(seconds([&] { kept = load(here / "project", 1); }));
    weir::LoadedProject again;
    times["load, cold"].push_back(seconds([&] { again = load(here / "project", 0); }));
    weir::LoadedProject warm;
    times["load, warm"].push_back(seconds(
        [&] { warm = load_warm(here / "project", path, static_cast<std::size_t>(arguments.elements)); }));
  }
  tell(arguments, times);
  fs::remove_all(here);
}
