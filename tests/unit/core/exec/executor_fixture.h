// A loop, arenas, a local executor and a sink that keeps what it hears. Tests wait for events of the loop,
// never for time to pass; the deadline of a wait is only what a broken executor costs.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "core/exec/local_executor.h"
#include "tests/support/temporary_folder.h"

namespace weir {

inline constexpr auto kDeadline = std::chrono::seconds(60);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// World-accessible, so that jobs of other users reach it.
class TestFolder : public TemporaryFolder {
 public:
  TestFolder() { ::chmod(path().c_str(), 0777); }
};

// What can be read of it: a file of /proc fails in the middle when its process goes.
inline std::string read_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  ssize_t got;
  while (file && (got = ::read(file.get(), buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

struct RecordingSink : JobSink {
  void started(JobId, std::int64_t pid_) override { pid = pid_; }
  void output(JobId, std::string_view bytes) override {
    output_bytes += bytes.size();
    if (text.size() < 1 << 20) text.append(bytes);
  }
  void usage(JobId, const Usage&) override {}
  void cores(JobId, std::uint32_t cores_) override { cores_left.push_back(cores_); }
  void ended(JobId, JobResult result_) override {
    ++ends;
    result = std::move(result_);
  }
  std::int64_t pid = -1;
  std::uint64_t output_bytes = 0;
  std::string text;
  std::vector<std::uint32_t> cores_left;
  int ends = 0;
  JobResult result;
};

class ExecutorFixture {
 public:
  explicit ExecutorFixture(LocalExecutorOptions options = {}) {
    for (const char* root : {"build", "install", "logs"}) {
      std::filesystem::create_directory(folder / root);
      ::chmod((folder / root).c_str(), 0777);
    }
    if (!options.directory)
      options.directory = [this](JobId, const JobSpec&, std::string_view root) {
        const auto path = folder / std::string(root);
        return std::filesystem::exists(path) ? path : std::string();
      };
    options.log_directory = folder / "logs";
    if (options.init.empty()) options.init = WEIR_INIT;
    executor = std::make_unique<LocalExecutor>(loop, arenas, std::move(options));
  }

  static JobSpec spec(std::vector<std::string> argv) {
    JobSpec job;
    job.steps.push_back(RunStep{std::move(argv)});
    job.environment = {{"PATH", "/usr/bin:/bin"}};
    return job;
  }
  static JobSpec shell(const std::string& script) { return spec({"sh", "-c", script}); }

  JobId start(JobSpec job, RecordingSink& sink) {
    const JobId id{next_++};
    executor->start(id, std::make_shared<const JobSpec>(std::move(job)), sink);
    return id;
  }
  // Runs the loop until `done`; false at the deadline.
  template <class Done>
  bool run_until(Done done) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    while (!done()) {
      loop.restart();
      if (loop.run_one_until(deadline) == 0 && std::chrono::steady_clock::now() >= deadline) return false;
    }
    return true;
  }
  // For what no event of the loop tells.
  template <class Done>
  bool poll_until(Done done) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    while (!done()) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      loop.restart();
      loop.run_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  bool wait_end(RecordingSink& sink) {
    return run_until([&] { return sink.ends > 0; });
  }
  bool wait_text(RecordingSink& sink, std::string_view word) {
    return run_until([&] { return sink.text.find(word) != std::string::npos || sink.ends > 0; }) &&
           sink.text.find(word) != std::string::npos;
  }
  JobResult run(JobSpec job) {
    RecordingSink sink;
    start(std::move(job), sink);
    EXPECT_TRUE(wait_end(sink));
    EXPECT_EQ(sink.ends, 1);
    text = sink.text;
    return sink.result;
  }

  TestFolder folder;
  boost::asio::io_context loop;
  Arenas arenas{2};
  std::unique_ptr<LocalExecutor> executor;
  std::string text;  // output of the last run()

 private:
  std::uint32_t next_ = 1;
};

}  // namespace weir
