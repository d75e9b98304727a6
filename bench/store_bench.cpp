// The store beside plain tools, in one run: import, stage and collect of 10,000 small files and of one large
// file, against `cp -a` and plain OpenSSL hashing of the same files. Times depend on the disk, so the ratios
// are what counts.
//   store_bench [--rounds N] [--large MIB] [--json FILE] [DIRECTORY]
// DIRECTORY is a scratch directory on the disk to measure; default: the directory for temporary files. The
// figures are medians of N rounds (3), each with everything once, in a fresh store; the large file has 2048
// MiB.
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/json_writer.h"
#include "core/base/random.h"
#include "core/store/store.h"

namespace {

namespace fs = std::filesystem;
using weir::UniqueFd;
namespace store = weir::store;

constexpr std::size_t kFiles = 10'000;
constexpr std::size_t kFileSize = 4096;
constexpr std::size_t kChunk = 1 << 20;

void check(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::exit(1);
}

template <class T>
T must(weir::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void write_noise(const fs::path& path, std::size_t size, weir::Random& random) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  check(static_cast<bool>(fd), "open");
  std::vector<std::uint64_t> block(std::min(size, kChunk) / 8);
  for (std::size_t done = 0; done < size; done += block.size() * 8) {
    for (auto& word : block) word = random.next();
    check(::write(fd.get(), block.data(), block.size() * 8) > 0, "write");
  }
}

void make_small(const fs::path& root) {
  weir::Random random(1);
  for (std::size_t i = 0; i < kFiles; ++i) {
    const auto directory = root / std::to_string(i / 100);
    fs::create_directories(directory);
    write_noise(directory / std::to_string(i), kFileSize, random);
  }
}

void make_large(const fs::path& root, std::size_t size) {
  weir::Random random(2);
  fs::create_directories(root);
  write_noise(root / "large", size, random);
}

void copy_by_cp(const fs::path& from, const fs::path& to) {
  std::string words[] = {"cp", "-a", from.string(), to.string()};
  char* const argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  int status = 0;
  check(::posix_spawnp(&child, "cp", nullptr, nullptr, argv, environ) == 0, "cp");
  check(::waitpid(child, &status, 0) == child && status == 0, "cp");
}

void plain_hash(const fs::path& root) {
  EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  std::vector<char> buffer(kChunk);
  unsigned char hash[EVP_MAX_MD_SIZE];
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const UniqueFd in(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    EVP_DigestInit_ex2(context, sha256, nullptr);
    for (ssize_t got; (got = ::read(in.get(), buffer.data(), buffer.size())) > 0;)
      EVP_DigestUpdate(context, buffer.data(), static_cast<std::size_t>(got));
    EVP_DigestFinal_ex(context, hash, nullptr);
  }
  EVP_MD_CTX_free(context);
  EVP_MD_free(sha256);
}

std::int64_t an_hour_ahead() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return (now.tv_sec + 3600) * 1'000'000'000 + now.tv_nsec;  // so that fresh files count as settled
}

// What OpenSSL does with bytes that are in the cache of the processor.
void hash_memory(std::size_t size) {
  std::vector<char> block(16 * 1024, 'x');
  store::Hasher hasher;
  for (std::size_t done = 0; done < size; done += block.size()) hasher.update({block.data(), block.size()});
  hasher.finish();
}

using Figures = std::map<std::string, std::vector<double>>;  // by phase, one for each round

void measure_round(const fs::path& here, const fs::path& source, std::size_t bytes, Figures& figures) {
  store::Options options;
  options.wall_clock_ns = an_hour_ahead;
  const auto opened = must(store::Store::open(here / "store", options));
  const auto second = must(store::Store::open(here / "store2", options));
  const auto pin = must(opened->pin("bench"));
  store::Digest tree;
  const auto take = [&](const char* name, const std::function<void()>& work) {
    figures[name].push_back(seconds(work));
  };
  take("openssl, in memory", [&] { hash_memory(bytes); });
  take("openssl, of the files", [&] { plain_hash(source); });
  take("cp -a", [&] { copy_by_cp(source, here / "copy"); });
  take("import, new", [&] { tree = must(opened->import(source)).tree; });
  take("import, unchanged", [&] { must(opened->import(source)); });
  const store::Layer layer{tree, "it"};
  take("stage read_only, new", [&] { must(opened->stage({&layer, 1}, store::StageMode::read_only)); });
  take("stage read_only, cached", [&] { must(opened->stage({&layer, 1}, store::StageMode::read_only)); });
  take("checkout", [&] { check(opened->checkout(tree, here / "out").has_value(), "checkout"); });
  take("collect (rename)", [&] { must(second->collect(here / "copy")); });
  take("verify", [&] { must(opened->verify()); });
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

using Aims = std::map<std::string, std::string>;  // by phase

void tell(const std::string& what, const Figures& figures, const Aims& aims, weir::JsonWriter& json) {
  const auto copy = median(figures.at("cp -a"));
  const auto hash = median(figures.at("openssl, in memory"));
  std::printf("%s\n", what.c_str());
  for (const auto& [phase, all] : figures) {
    const auto time = median(all);
    std::printf("  %-28s %8.3f s   %6.2f x cp -a   %6.2f x openssl on one core\n", phase.c_str(), time,
                time / copy, time / hash);
    json.begin_object().key("workload").value(what + ": " + phase).key("seconds").value(time);
    json.key("figure").value(fmt::format("{:.3f} s, {:.2f} x cp -a, {:.2f} of openssl's speed on one core",
                                         time, time / copy, hash / time));
    json.key("x_cp").value(time / copy).key("x_openssl").value(time / hash);
    if (const auto aim = aims.find(phase); aim != aims.end()) json.key("aim").value(aim->second);
    else json.key("aim").null();
    json.end_object();
  }
}

void with_scratch(const fs::path& root, const std::function<void(const fs::path&)>& work) {
  auto name = (root / "weir-bench-XXXXXX").string();
  check(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  work(name);
  fs::remove_all(name);
}

struct Arguments {
  std::size_t rounds = 3;
  std::size_t large_mib = 2048;
  std::string json;
  fs::path root = fs::temp_directory_path();
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (is("--rounds")) arguments.rounds = std::max<std::size_t>(1, std::strtoul(argv[++i], nullptr, 10));
    else if (is("--large"))
      arguments.large_mib = std::max<std::size_t>(1, std::strtoul(argv[++i], nullptr, 10));
    else if (is("--json")) arguments.json = argv[++i];
    else arguments.root = argv[i];
  }
  return arguments;
}

void measure(const Arguments& arguments, const std::string& what, std::size_t bytes,
             const std::function<void(const fs::path&)>& make, const Aims& aims, weir::JsonWriter& json) {
  Figures figures;
  with_scratch(arguments.root, [&](const fs::path& here) {
    make(here);
    plain_hash(here);  // everything is in the page cache from here on
    for (std::size_t round = 0; round < arguments.rounds; ++round)
      with_scratch(arguments.root,
                   [&](const fs::path& scratch) { measure_round(scratch, here, bytes, figures); });
  });
  tell(what, figures, aims, json);
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = read_arguments(argc, argv);
  std::string text;
  weir::JsonWriter json(text);
  json.begin_object().key("name").value("store").key("rows").begin_array();
  const std::string most = "1.5 x cp -a";
  measure(arguments, "10,000 files of 4 KiB", kFiles * kFileSize, make_small,
          {{"import, new", most}, {"stage read_only, new", most}, {"collect (rename)", most}}, json);
  const auto large = arguments.large_mib << 20;
  measure(
      arguments, fmt::format("one file of {} MiB", arguments.large_mib), large,
      [&](const fs::path& root) { make_large(root, large); },
      {{"collect (rename)", "0.8 of openssl's speed on all cores, which one stream of SHA-256 cannot use"}},
      json);
  json.end_array().end_object();
  if (arguments.json.empty()) return 0;
  std::FILE* file = std::fopen(arguments.json.c_str(), "w");
  check(file && std::fputs(text.c_str(), file) >= 0 && std::fclose(file) == 0, arguments.json.c_str());
}
