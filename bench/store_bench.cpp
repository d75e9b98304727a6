// The store beside plain tools, in one run: import, stage and collect of 10,000 small files and of one 1 GiB
// file, against a copy in the manner of `cp -a` and plain OpenSSL hashing of the same files. Times depend on
// the disk, so the ratios are what counts.
//   store_bench [DIRECTORY]   a scratch directory on the disk to measure; default: the directory for
//   temporary files
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/store/store.h"

namespace {

namespace fs = std::filesystem;
using weir::UniqueFd;
namespace store = weir::store;

constexpr std::size_t kFiles = 10'000;
constexpr std::size_t kFileSize = 4096;
constexpr std::size_t kLarge = std::size_t{1} << 30;
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

void make_large(const fs::path& root) {
  weir::Random random(2);
  fs::create_directories(root);
  write_noise(root / "large", kLarge, random);
}

// What cp -a does for a file: copy_file_range, mode, times.
void plain_copy_file(const fs::path& from, const fs::path& to) {
  const UniqueFd in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  struct stat info {};
  check(in && out && ::fstat(in.get(), &info) == 0, "copy");
  while (::copy_file_range(in.get(), nullptr, out.get(), nullptr, std::size_t{1} << 30, 0) > 0) {
  }
  const timespec times[2] = {info.st_atim, info.st_mtim};
  check(::fchmod(out.get(), info.st_mode) == 0 && ::futimens(out.get(), times) == 0, "copy");
}

void plain_copy(const fs::path& from, const fs::path& to) {
  fs::create_directory(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.is_directory())
      plain_copy(entry.path(), to / entry.path().filename());
    else
      plain_copy_file(entry.path(), to / entry.path().filename());
  }
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

void measure(const char* what, const fs::path& here, const std::function<void(const fs::path&)>& make) {
  make(here / "source");
  plain_hash(here / "source");  // everything is in the page cache from here on
  const auto hash = seconds([&] { plain_hash(here / "source"); });
  const auto copy = seconds([&] { plain_copy(here / "source", here / "copy"); });
  store::Options options;
  options.wall_clock_ns = an_hour_ahead;
  const auto opened = must(store::Store::open(here / "store", options));
  std::printf("%s: plain hash %.3f s, plain copy %.3f s\n", what, hash, copy);
  const auto line = [&](const char* name, const std::function<void()>& work) {
    const auto time = seconds(work);
    std::printf("  %-28s %8.3f s   %6.2f x copy   %6.2f x hash\n", name, time, time / copy, time / hash);
  };
  const auto pin = must(opened->pin("bench"));
  store::Digest tree;
  line("import, new", [&] { tree = must(opened->import(here / "source")).tree; });
  line("import, unchanged", [&] { must(opened->import(here / "source")); });
  const store::Layer layer{tree, "it"};
  line("stage read_only, new", [&] { must(opened->stage({&layer, 1}, store::StageMode::read_only)); });
  line("stage read_only, cached", [&] { must(opened->stage({&layer, 1}, store::StageMode::read_only)); });
  line("checkout", [&] { (void)opened->checkout(tree, here / "out"); });
  const auto second = must(store::Store::open(here / "store2", options));
  line("collect (rename)", [&] { must(second->collect(here / "copy")); });
  line("verify", [&] { must(opened->verify()); });
}

void with_scratch(const fs::path& root, const std::function<void(const fs::path&)>& work) {
  auto name = (root / "weir-bench-XXXXXX").string();
  check(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  work(name);
  fs::remove_all(name);
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path root = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
  with_scratch(root, [](const fs::path& here) { measure("10,000 files of 4 KiB", here, make_small); });
  with_scratch(root, [](const fs::path& here) { measure("one file of 1 GiB", here, make_large); });
}
