#include "core/sim/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/json_writer.h"
#include "core/placement/allocation.h"
#include "core/placement/json_input.h"
#include "core/sim/words.h"

namespace weir::sim {

namespace {

struct Build {
  std::string id;
  ClassJobs jobs;
};

struct AllocateInput {
  std::int64_t workers = 0, idle = 0, running = 0;
  Loans loans = Loans::plain;
  Decimal threshold{50};
  bool over_for_long = false;
  std::vector<std::string> names;
  std::vector<Decimal> loads;
  std::vector<ClassJobs> jobs;
  std::vector<std::optional<std::vector<Build>>> builds;  // of the classes that list them
};

// Counts add up; what would not fit is said where it goes too far.
class Sum {
 public:
  std::int64_t add(const JsonInput& input) {
    const auto count = input.whole(0, kMostCount);
    if (count > kMostCount - total_) input.complain(fmt::format("makes more than {} in all", kMostCount));
    else total_ += count;
    return count;
  }
  std::int64_t total() const { return total_; }

 private:
  std::int64_t total_ = 0;
};

std::vector<Build> read_builds(const JsonInput& input) {
  std::vector<Build> out;
  std::set<std::string> ids;
  Sum sum;
  for (const auto& item : input.items()) {
    Build build{item["id"].text(), {sum.add(item["running"]), sum.add(item["waiting"])}};
    if (!ids.insert(build.id).second) item["id"].complain("is the id of two builds");
    out.push_back(std::move(build));
  }
  return out;
}

// The class may leave its counts to its builds; if it has its own, they must agree.
std::int64_t read_count(const JsonInput& input, const std::optional<std::vector<Build>>& builds,
                        std::int64_t ClassJobs::*count) {
  if (!builds) return input.whole(0, kMostCount);
  std::int64_t total = 0;
  for (const auto& build : *builds) total += build.jobs.*count;
  if (input.is_present() && input.whole(0, kMostCount) != total)
    input.complain(fmt::format("differs from the sum over its builds, {}", total));
  return total;
}

void read_classes(const JsonInput& input, AllocateInput& out) {
  std::set<std::string> names;
  std::int64_t running = 0, waiting = 0;
  const auto items = input.items();
  if (input.is_present() && items.empty()) input.complain("there are no classes");
  for (const auto& item : items) {
    out.names.push_back(item["name"].text());
    if (!names.insert(out.names.back()).second) item["name"].complain("is the name of two classes");
    out.loads.push_back(item["load"].decimal());
    const auto builds = item["builds"];
    out.builds.push_back(builds.is_present() ? std::optional(read_builds(builds)) : std::nullopt);
    ClassJobs jobs;
    jobs.running = read_count(item["running"], out.builds.back(), &ClassJobs::running);
    jobs.waiting = read_count(item["waiting"], out.builds.back(), &ClassJobs::waiting);
    if (jobs.running > kMostCount - running || jobs.waiting > kMostCount - waiting) {
      item.complain(fmt::format("makes more than {} jobs in all", kMostCount));
      return;
    }
    running += jobs.running;
    waiting += jobs.waiting;
    out.jobs.push_back(jobs);
  }
  out.running = running;
}

void read_rebalance(const JsonInput& input, AllocateInput& out) {
  if (!input.is_present()) return;
  const auto decimal_or = [&](std::string_view name, std::uint64_t otherwise) {
    const auto member = input[name];
    return member.is_present() ? member.decimal() : Decimal(otherwise);
  };
  out.threshold = decimal_or("threshold", 50);
  out.over_for_long = decimal_or("over_for_s", 0) >= decimal_or("min_duration_s", 60);
}

AllocateInput read_allocate(const JsonInput& input) {
  AllocateInput out;
  out.workers = input["workers"].whole(0, kMostCount);
  out.idle = input["idle"].whole(0, kMostCount);
  out.loans = read_loans(input);
  read_rebalance(input["rebalance"], out);
  read_classes(input["classes"], out);
  // Each is at most 2^53: the sum fits.
  if (out.workers < out.idle + out.running)
    input["workers"].complain(
        fmt::format("is less than {} idle workers and {} running jobs", out.idle, out.running));
  return out;
}

// Starts of one class, one job each time to the build with the fewest running jobs. The rounds that all
// builds can take part in are not gone through one by one: a count may have fifteen digits.
class Rounds {
 public:
  Rounds(const std::vector<Build>& builds, std::int64_t start)
      : builds_(builds), left_(start), started_(builds.size(), 0) {
    order_.resize(builds.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return builds[a].id < builds[b].id; });
  }

  std::vector<std::int64_t> deal() {
    // The highest level up to which all fit, then one each by id.
    std::int64_t low = 0, high = 2 * kMostCount;
    while (low < high) {
      const auto middle = low + (high - low + 1) / 2;
      if (is_too_many(middle)) high = middle - 1;
      else low = middle;
    }
    for (std::size_t i = 0; i < builds_.size(); ++i) left_ -= started_[i] = up_to(i, low);
    for (const auto i : order_) {
      if (left_ == 0) break;
      if (started_[i] == builds_[i].jobs.waiting || builds_[i].jobs.running + started_[i] != low) continue;
      ++started_[i];
      --left_;
    }
    return started_;
  }

 private:
  std::int64_t up_to(std::size_t i, std::int64_t level) const {
    return std::clamp<std::int64_t>(level - builds_[i].jobs.running, 0, builds_[i].jobs.waiting);
  }
  bool is_too_many(std::int64_t level) const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < builds_.size(); ++i) total += up_to(i, level);
    return total > left_;
  }

  const std::vector<Build>& builds_;
  std::int64_t left_;
  std::vector<std::int64_t> started_;
  std::vector<std::size_t> order_;
};

void write_counts(JsonWriter& json, std::string_view key, const AllocateInput& input,
                  const std::vector<std::int64_t>& counts) {
  json.key(key).begin_object();
  for (std::size_t i = 0; i < counts.size(); ++i) json.key(input.names[i]).value(counts[i]);
  json.end_object();
}

void write_builds(JsonWriter& json, const AllocateInput& input, const Allocation& allocation) {
  const auto listed = [](const auto& builds) { return builds.has_value(); };
  if (std::none_of(input.builds.begin(), input.builds.end(), listed)) return;
  json.key("start_by_build").begin_object();
  for (std::size_t i = 0; i < input.builds.size(); ++i) {
    if (!input.builds[i]) continue;
    const auto started = Rounds(*input.builds[i], allocation.start[i]).deal();
    json.key(input.names[i]).begin_object();
    for (std::size_t b = 0; b < started.size(); ++b) json.key((*input.builds[i])[b].id).value(started[b]);
    json.end_object();
  }
  json.end_object();
}

std::string write_allocation(const AllocateInput& input, const Allocation& allocation) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_counts(json, "target", input, allocation.target);
  write_counts(json, "start", input, allocation.start);
  write_counts(json, "stop", input, allocation.stop);
  const auto workers = std::max<std::int64_t>(input.workers, 1);
  json.key("spread").value(static_cast<double>(allocation.spread) * 100 / static_cast<double>(workers));
  json.key("rebalanced").value(allocation.rebalanced);
  write_builds(json, input, allocation);
  json.end_object();
  return out;
}

}  // namespace

Result<std::string> simulate_allocate(std::string_view document) {
  const auto input = read_input(document, read_allocate);
  if (!input) return tl::unexpected(input.error());
  return write_allocation(*input, allocate({input->workers, input->idle, input->loans, input->threshold,
                                            input->over_for_long, input->loads, input->jobs}));
}

}  // namespace weir::sim
