// Loading a project of 100,000 element files beside a plain read of the same files, in one run: with one thread, with all,
// then what comes after: the graph of everything.
//   load_bench [ELEMENTS [DIRECTORY]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "core/project/load.h"
#include "core/project/targets.h"

namespace {

namespace fs = std::filesystem;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void write_project(const fs::path& root, int elements) {
  fs::create_directories(root / "elements");
  std::ofstream(root / "weir.toml") << "weir = 1\n[project]\nname = \"large\"\n[variables]\nflags = \"-O2\"\n";
  for (int i = 0; i < elements; ++i) {
    const auto folder = root / "elements" / std::to_string(i / 1000);
    if (i % 1000 == 0) fs::create_directories(folder);
    std::ofstream file(folder / (std::to_string(i) + ".toml"));
    file << "kind = \"script\"\nsource = [{ kind = \"local\", path = \"src/" << i << "\" }]\n"
         << "config.commands = [\"cc %{flags} -o $WEIR_OUT/bin/p" << i << " p.c\"]\n";
    if (i > 2)
      file << "depends = [\"" << (i / 2) / 1000 << "/" << i / 2 << "\", \"" << (i / 3) / 1000 << "/" << i / 3 << "\"]\n";
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
  if (!loaded.ok()) std::exit(1);
  return loaded;
}

}  // namespace

int main(int argc, char** argv) {
  const int elements = argc > 1 ? std::atoi(argv[1]) : 100'000;
  std::string name = (argc > 2 ? fs::path(argv[2]) : fs::temp_directory_path()) / "weir-load-XXXXXX";
  if (!::mkdtemp(name.data())) return std::perror("mkdtemp"), 1;
  const fs::path root = name;
  write_project(root, elements);
  std::size_t bytes = 0;
  std::printf("%d elements, %d rounds; seconds\n", elements, 3);
  for (int round = 0; round < 3; ++round) {
    const double plain = seconds([&] { bytes = read_all(root); });
    const double one = seconds([&] { load(root, 1); });
    weir::LoadedProject loaded;
    const double all = seconds([&] { loaded = load(root, 0); });
    const std::string everything[] = {"**"};
    const auto targets = weir::select_targets(loaded.project, everything);
    const double graph = seconds([&] { weir::make_graph(loaded.project, *targets); });
    std::printf("plain read %.2f   load, one thread %.2f (%.1f x)   all threads %.2f (%.1f x)   graph %.2f   %.1f MB\n", plain,
                one, one / plain, all, all / plain, graph, static_cast<double>(bytes) / 1e6);
  }
  fs::remove_all(root);
}
