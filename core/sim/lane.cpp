#include "core/sim/lane.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_set>

#include "core/base/json_writer.h"
#include "core/placement/json_input.h"
#include "core/sim/words.h"
#include "resources/lanes.h"

namespace weir::sim {

namespace {

struct Job {
  std::string id, group;
  Access access = Access::read;
  std::int64_t duration = 0, at = 0;
  std::int64_t start = 0, end = 0;
};

struct LaneInput {
  std::int64_t servers = 1;
  std::vector<Job> jobs;
};

Job read_job(const JsonInput& input) {
  constexpr std::string_view kAccess[] = {"read", "write"};
  Job out;
  out.id = input["id"].text();
  const auto group = input["group"];
  if (group.is_present() && !group.is_null()) out.group = group.text();
  out.access = input["access"].one_of(kAccess) == 0 ? Access::read : Access::write;
  out.duration = input["duration_ms"].whole(0, kLongestMs);
  if (const auto at = input["at_ms"]; at.is_present()) out.at = at.whole(0, kLongestMs);
  return out;
}

LaneInput read_lane(const JsonInput& input) {
  LaneInput out;
  out.servers = input["servers"].whole(1, std::int64_t{1} << 53);
  std::unordered_set<std::string> ids;
  for (const auto& item : input["jobs"].items()) {
    out.jobs.push_back(read_job(item));
    if (!ids.insert(out.jobs.back().id).second) item["id"].complain("is the id of two jobs");
    // Ends are sums of durations: 2^22 jobs of 30 years still fit.
    if (out.jobs.size() > (std::size_t{1} << 22)) item.complain("is one job too many");
  }
  return out;
}

// The lanes of the scheduler on virtual time, with a limit of servers in front of them.
class LaneRun {
 public:
  explicit LaneRun(LaneInput& input) : input_(input), lane_(lanes_.lane("lane")) {
    order_.resize(input.jobs.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return input.jobs[a].at < input.jobs[b].at; });
    tickets_.resize(order_.size());
    holds_.resize(order_.size());
  }

  void run() {
    while (asked_ < order_.size() || !running_.empty()) {
      now_ = next_moment();
      release();
      ask();
      start();
    }
  }

 private:
  struct Ending {
    std::int64_t end;
    std::uint32_t job;
    bool operator>(const Ending& other) const { return end != other.end ? end > other.end : job > other.job; }
  };

  std::int64_t next_moment() const {
    auto moment = running_.empty() ? std::numeric_limits<std::int64_t>::max() : running_.top().end;
    if (asked_ < order_.size()) moment = std::min(moment, input_.jobs[order_[asked_]].at);
    return std::max(moment, now_);
  }

  void release() {
    for (; !running_.empty() && running_.top().end <= now_; running_.pop())
      holds_[running_.top().job].release();
  }

  void ask() {
    for (; asked_ < order_.size() && input_.jobs[order_[asked_]].at <= now_; ++asked_) {
      const auto& job = input_.jobs[order_[asked_]];
      const LaneAsk wanted{lane_, lanes_.group(job.group), job.access};
      tickets_[order_[asked_]] = lanes_.ask({&wanted, 1}, order_[asked_]);
    }
  }

  // A job that is admitted and has no server keeps its place: nobody behind it is admitted.
  void start() {
    for (;;) {
      for (const auto job : lanes_.admitted()) admitted_.push(job);
      if (admitted_.empty() || static_cast<std::int64_t>(running_.size()) >= input_.servers) return;
      const auto next = admitted_.front();
      admitted_.pop();
      auto& job = input_.jobs[next];
      job.start = now_;
      job.end = now_ + job.duration;
      holds_[next] = lanes_.take(tickets_[next]);
      running_.push({job.end, next});
    }
  }

  LaneInput& input_;
  Lanes lanes_;
  LaneId lane_;
  std::int64_t now_ = 0;
  std::vector<std::uint32_t> order_;
  std::size_t asked_ = 0;
  std::vector<Lanes::Ticket> tickets_;
  std::vector<Lanes::Hold> holds_;
  std::queue<std::uint32_t> admitted_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running_;
};

std::string write_lane(const LaneInput& input) {
  std::string out;
  JsonWriter json(out);
  std::int64_t makespan = 0;
  json.begin_object().key("jobs").begin_array();
  for (const auto& job : input.jobs) {
    json.begin_object()
        .key("id")
        .value(job.id)
        .key("start_ms")
        .value(job.start)
        .key("end_ms")
        .value(job.end)
        .end_object();
    makespan = std::max(makespan, job.end);
  }
  json.end_array().key("makespan_ms").value(makespan).end_object();
  return out;
}

}  // namespace

Result<std::string> simulate_lane(std::string_view document) {
  auto input = read_input(document, read_lane);
  if (!input) return tl::unexpected(input.error());
  LaneRun(*input).run();
  return write_lane(*input);
}

}  // namespace weir::sim
