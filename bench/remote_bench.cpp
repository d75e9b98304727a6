// Pull and push by http, beside curl with the same blobs and the same nginx (Debian's, with its DAV module)
// on loopback: 10,000 files of 4 KiB, and one file of 1 GiB. Two figures of weir: the job that moves the
// artifact, and the whole command, which also starts, plans, and waits until all is on disk; curl waits for
// no disk.
//   remote_bench [ROUNDS] [FILES] [MEBIBYTES OF THE LARGE FILE]
// weir has to be built beside it; nginx and curl have to be there.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/store/digest.h"

extern char** environ;

namespace {

namespace fs = std::filesystem;

constexpr int kPort = 18473;

[[noreturn]] void give_up(const std::string& what) {
  fmt::print(stderr, "remote_bench: {}\n", what);
  std::exit(1);
}

struct Ran {
  double seconds = 0;
  double mebibytes = 0;  // the most that it had in memory
};

Ran run(const std::vector<std::string>& words, const std::string& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) != 0)
    give_up("cannot start " + words[0]);
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child || status != 0)
    give_up(fmt::format("{} failed, see {}", fmt::join(words, " "), log));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {took.count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

class Server {
 public:
  explicit Server(const fs::path& folder) : folder_(folder) {
    fs::create_directories(folder / "www");
    std::ofstream(folder / "nginx.conf")
        << fmt::format(R"(daemon off; pid {0}/pid; error_log {0}/error.log; {1} worker_processes 1;
events {{ worker_connections 1024; }}
http {{ access_log off; root {0}/www; client_body_temp_path {0}/body; keepalive_requests 1000000; sendfile on;
  server {{ listen 127.0.0.1:{2}; location / {{ dav_methods PUT; create_full_put_path on; client_max_body_size 0; }} }} }}
)",
                       folder.string(), ::geteuid() == 0 ? "user root;" : "", kPort);
    const auto config = (folder / "nginx.conf").string(), errors = (folder / "error.log").string(),
               prefix = folder.string();
    const char* argv[] = {"nginx", "-p", prefix.c_str(), "-e", errors.c_str(), "-c", config.c_str(), nullptr};
    if (::posix_spawnp(&pid_, "nginx", nullptr, nullptr, const_cast<char**>(argv), environ) != 0)
      give_up("cannot start nginx");
    while (!fs::exists(folder / "pid") && ::waitpid(pid_, nullptr, WNOHANG) == 0) ::usleep(10'000);
  }
  ~Server() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  void empty() const {
    fs::remove_all(folder_ / "www");
    fs::create_directories(folder_ / "www");
  }
  static std::string url(const std::string& path) {
    return fmt::format("http://127.0.0.1:{}/{}", kPort, path);
  }

 private:
  fs::path folder_;
  pid_t pid_ = 0;
};

std::string content(std::size_t bytes, std::uint64_t seed) {
  weir::Random random(seed);
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
    const auto word = random.next();
    std::memcpy(text.data() + i, &word, 8);
  }
  return text;
}

struct Blob {
  std::string file, hash;
};

// In pieces: what this program has had in memory counts as memory of those it starts.
std::string write_file(const fs::path& file, std::size_t bytes, std::uint64_t seed) {
  constexpr std::size_t kPiece = 1 << 20;
  std::ofstream out(file, std::ios::binary);
  weir::store::Hasher hasher;
  for (std::size_t done = 0; done < bytes; done += kPiece) {
    const auto text = content(std::min(kPiece, bytes - done), seed + (done << 8));
    out << text;
    hasher.update(text);
  }
  return hasher.finish().hex();
}

std::vector<Blob> make_files(const fs::path& folder, std::size_t count, std::size_t bytes) {
  std::vector<Blob> blobs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto directory = folder / fmt::format("d{}", i / 100);
    fs::create_directories(directory);
    const auto file = directory / fmt::format("f{}", i);
    blobs.push_back({file.string(), write_file(file, bytes, i + 1)});
  }
  return blobs;
}

void write_curl_files(const fs::path& folder, const std::vector<Blob>& blobs) {
  std::ofstream put(folder / "put"), get(folder / "get");
  for (const auto& blob : blobs) {
    put << fmt::format("upload-file = \"{}\"\nurl = \"{}\"\noutput = \"/dev/null\"\n", blob.file,
                       Server::url("curl/cas/" + blob.hash));
    get << fmt::format("url = \"{}\"\noutput = \"{}/got/{}\"\n", Server::url("curl/cas/" + blob.hash),
                       folder.string(), blob.hash);
  }
}

// From an archive: files of the project itself would be in every store before anything is pulled.
void write_project(const fs::path& folder) {
  std::ofstream(folder / "weir.toml") << fmt::format(
      "weir = 1\n[project]\nname = \"bench\"\ndefault = [\"files\"]\n[[remote]]\nurl = \"{}\"\npush = "
      "true\n[element.files]\nkind = \"import\"\nsource = [{{kind = "
      "\"tar\", url = \"files.tar\", strip = 0}}]\n",
      Server::url("weir"));
}

void set_cache(const fs::path& folder) {
  ::setenv("WEIR_CACHE_DIR", folder.c_str(), 1);
  ::setenv("WEIR_TRUST", "1", 1);  // it pushes
}

// Running time of the only job, by its event.
double job_seconds(const fs::path& events) {
  std::ifstream in(events);
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find("\"seconds\":");
    if (line.find("\"job.end\"") != line.npos && at != line.npos) return std::atof(line.c_str() + at + 10);
  }
  give_up("no job ended");
}

struct Series {
  std::vector<double> curl, weir, job, ratios;
  double mebibytes = 0;
  void add(const Ran& peer, const Ran& own, const fs::path& events) {
    curl.push_back(peer.seconds);
    weir.push_back(own.seconds);
    job.push_back(job_seconds(events));
    ratios.push_back(job.back() / peer.seconds);
    mebibytes = std::max(mebibytes, own.mebibytes);
  }
  static double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
  void print(const char* what) const {
    fmt::print(
        "{:<22} curl {:6.2f} s  weir's job {:6.2f} s, whole {:6.2f} s  job/curl {:.2f} ({:.2f} to {:.2f})  "
        "weir's memory {:.0f} MiB\n",
        what, median(curl), median(job), median(weir), median(ratios),
        *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()),
        mebibytes);
  }
};

void measure(const char* what, const fs::path& top, const std::string& weir, int rounds, std::size_t count,
             std::size_t bytes) {
  const auto folder = top / "work";
  fs::create_directories(folder / "got");
  const auto log = (top / "log").string(), events = (top / "events").string();
  const auto blobs = make_files(folder / "files", count, bytes);
  write_curl_files(folder, blobs);
  write_project(folder);
  const Server server(top / "nginx");
  const std::vector<std::string> curl = {"curl",       "--silent",       "--show-error", "--fail",
                                         "--parallel", "--parallel-max", "50",           "--config"};
  auto curl_put = curl, curl_get = curl;
  curl_put.push_back((folder / "put").string());
  curl_get.push_back((folder / "get").string());
  const std::vector<std::string> command = {weir, "-q", "-C", folder.string()};
  const auto with = [&](std::vector<std::string> more) {
    auto all = command;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  run({"tar", "-C", (folder / "files").string(), "-cf", (folder / "files.tar").string(), "."}, log);
  set_cache(top / "first");
  run(with({"track"}), log);
  run(with({"build", "--no-remote"}), log);
  Series push, pull;
  for (int round = 0; round < rounds; ++round) {
    server.empty();
    ::sync();
    const auto put = run(curl_put, log);
    set_cache(top / "first");
    push.add(put, run(with({"push", "--events", events}), log), events);
    fs::remove_all(folder / "got");
    fs::create_directories(folder / "got");
    fs::remove_all(top / "second");
    ::sync();
    const auto got = run(curl_get, log);
    set_cache(top / "second");
    pull.add(got, run(with({"pull", "--events", events}), log), events);
  }
  push.print(fmt::format("push {}", what).c_str());
  pull.print(fmt::format("pull {}", what).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const std::size_t files = argc > 2 ? static_cast<std::size_t>(std::atoll(argv[2])) : 10'000;
  const std::size_t large = argc > 3 ? static_cast<std::size_t>(std::atoll(argv[3])) : 1024;
  const auto weir = (fs::canonical("/proc/self/exe").parent_path().parent_path() / "bin/weir").string();
  std::string name = (fs::temp_directory_path() / "weir-bench-XXXXXX").string();
  if (!::mkdtemp(name.data())) give_up("cannot make a folder");
  const fs::path top = name;
  measure(fmt::format("{} x 4 KiB", files).c_str(), top / "small", weir, rounds, files, 4096);
  measure(fmt::format("1 x {} MiB", large).c_str(), top / "large", weir, rounds, 1, large << 20);
  fs::remove_all(top);
  return 0;
}
