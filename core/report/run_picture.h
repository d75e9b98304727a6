// What a run looks like at this moment, from its events: counts, tokens, the jobs that run, why the next one
// waits, how long it may still take. It holds what runs and one entry for each element, no history.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/event.h"
#include "core/model/event_limits.h"

namespace weir {

class RunPicture final : public Observer {
 public:
  struct QueueCounts {
    std::string name;
    std::uint64_t done = 0, skipped = 0, failed = 0, running = 0;
  };
  struct Token {
    std::string name;
    std::int64_t capacity = 0, used = 0;
  };
  struct Job {
    std::uint64_t id = 0;
    std::string element, queue, worker;
    std::uint64_t attempt = 1;
    std::vector<std::pair<std::string, std::int64_t>> tokens;
    std::optional<double> expected, rest;
    Duration since{};   // when it started, or was resumed last
    Duration before{};  // that it had run until then
    bool suspended = false;
    bool stopping = false;

    Duration ran(Duration now) const {
      return suspended ? before : std::clamp(before + (now - since), Duration(), kLongestRun);
    }
  };
  struct Wait {
    std::uint64_t job = 0;
    std::string element, queue, what, name;
    std::optional<std::int64_t> need, free;
  };

  void on_event(const Event& event) override;

  std::uint64_t number() const { return number_; }
  const std::string& project() const { return project_; }
  const std::vector<QueueCounts>& queues() const { return queues_; }
  const std::vector<Token>& tokens() const { return tokens_; }
  const std::map<std::uint64_t, Job>& running() const { return running_; }
  // The job that waits and was told of last; nothing if none is known to wait.
  const std::optional<Wait>& next() const { return wait_; }
  // Elements that the run has come to so far, and those of them that it is done with.
  std::size_t seen() const { return elements_.size(); }
  std::size_t settled() const { return settled_; }
  std::size_t failed() const { return failed_; }
  bool all_suspended() const;
  // The running job that everything else waits for longest; 0 jobs: nothing. By what is known of earlier
  // runs.
  const Job* critical(Duration now) const;
  // How long it may still take; nothing if no earlier run tells.
  std::optional<Duration> estimate(Duration now) const;

 private:
  struct Element {
    bool settled = false;
    bool outstanding = false;        // it will have to be made, as far as is known
    std::optional<double> expected;  // seconds
  };
  static constexpr std::string_view kMakes = "build";    // the queue whose jobs are the work
  static constexpr std::string_view kCores = "process";  // the token that is cores
  struct Visitor;
  QueueCounts& queue(std::string_view name);
  Token& token(std::string_view name);
  void hold(const Job& job, std::int64_t sign);
  void forget_wait(std::uint64_t job);
  void settle(Element& element);
  void expect(Element& element, double expected);
  void set_outstanding(Element& element, bool outstanding);

  std::uint64_t number_ = 0;
  std::string project_;
  std::vector<QueueCounts> queues_;
  std::vector<Token> tokens_;
  std::map<std::uint64_t, Job> running_;
  std::optional<Wait> wait_;
  std::unordered_map<std::string, Element> elements_;
  std::size_t settled_ = 0, failed_ = 0;
  // Of what is outstanding: how long that will take, of how many it is known, and of how many not.
  double known_seconds_ = 0;
  std::size_t known_ = 0, unknown_ = 0;
};

Duration from_seconds(double seconds);

}  // namespace weir
