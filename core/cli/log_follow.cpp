#include "core/cli/log_follow.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/base/fd.h"
#include "core/report/event_file.h"
#include "core/store/file_tools.h"

namespace weir::cli {

namespace {

// Nothing tells that a lock is free, and a file system of another machine tells nothing of its files: so they
// are asked.
constexpr int kEveryMs = 40;

// Waits, unless who reads standard output is gone: nobody would notice while nothing is written.
Status wait_a_moment() {
  pollfd out{STDOUT_FILENO, 0, 0};
  if (::poll(&out, 1, kEveryMs) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0)
    return fail(Reason::cancelled, "nobody reads any more");
  return {};
}

class Follower {
 public:
  Follower(const LogQuery& query, const PastRun& run, const FollowedLog& told)
      : query_(query), run_(run), told_(told), events_(run.events()) {}

  Result<bool> follow() {
    bool any = false;
    for (bool first = true;; first = false) {
      const bool over =
          stand_of(run_, record_) != RunStand::running;  // asked before the last events are read
      record_.take(events_);
      while (const auto* job = next_job()) {
        any = true;
        if (auto shown = show(job->id); !shown) return tl::unexpected(shown.error());
        if (!may_be_tried_again()) return true;
      }
      if (over || record_.end() || settled()) return any;
      if (first && !any) told_.waiting();
      if (auto waited = wait_a_moment(); !waited) return tl::unexpected(waited.error());
    }
  }

 private:
  // One that runs; behind one that was shown, the one that does the same work again.
  const RecordedJob* next_job() const {
    for (const auto& job : record_.jobs()) {
      if (job.element != query_.element || !job.started) continue;
      if (shown_ ? job.id > shown_->id && job.queue == shown_->queue
                 : job.result.empty() && in_queue(job.queue))
        return &job;
    }
    return nullptr;
  }
  bool in_queue(const std::string& queue) const {
    return query_.queue.empty() ? !is_transfer(queue) : queue == query_.queue;
  }

  bool may_be_tried_again() const { return shown_ && shown_->result == "failed" && !settled(); }

  // No job of the element is to come, in the queue that was asked for.
  bool settled() const {
    const auto& row = record_.run().queues;
    if (row.empty()) return false;
    const auto& last_queue = query_.queue.empty() ? row.back() : query_.queue;
    if (std::find(row.begin(), row.end(), last_queue) == row.end()) return true;
    const auto* element = record_.element(query_.element);
    if (!element) return false;
    constexpr std::array<std::string_view, 3> kLost = {"failed", "blocked", "cancelled"};
    const auto lost = [&](const auto& stand) {
      return std::find(kLost.begin(), kLost.end(), stand.status) != kLost.end();
    };
    const auto passed = [&](const auto& stand) {
      return stand.queue == last_queue && (stand.status == "done" || stand.status == "skip");
    };
    return std::any_of(element->queues.begin(), element->queues.end(),
                       [&](const auto& stand) { return lost(stand) || passed(stand); });
  }

  const RecordedJob& job(std::uint64_t id) const {
    return *std::find_if(record_.jobs().begin(), record_.jobs().end(),
                         [&](const RecordedJob& one) { return one.id == id; });
  }

  Status show(std::uint64_t id) {
    told_.begin({run_, job(id)});
    UniqueFd log;
    for (;;) {
      const bool over = stand_of(run_, record_) != RunStand::running;
      record_.take(events_);
      const bool ended = over || !job(id).result.empty();  // nothing is written behind its end
      if (auto copied = copy(log, run_.log(id)); !copied) return copied;
      if (ended) break;
      if (auto waited = wait_a_moment(); !waited) return waited;
    }
    shown_ = job(id);
    told_.end({run_, *shown_});
    return {};
  }

  // A job that wrote nothing yet has no file.
  Status copy(UniqueFd& log, const std::string& path) const {
    if (!log) log = store::open_regular(AT_FDCWD, path.c_str());
    if (!log) return {};
    char buffer[64 * 1024];
    for (;;) {
      const auto got = ::read(log.get(), buffer, sizeof buffer);
      if (got < 0) return fail_errno("reading " + path);
      if (got == 0) return {};
      if (auto told = told_.more({buffer, static_cast<std::size_t>(got)}); !told) return told;
    }
  }

  const LogQuery& query_;
  const PastRun& run_;
  const FollowedLog& told_;
  EventFile events_;
  RunRecord record_;
  std::optional<RecordedJob> shown_;
};

}  // namespace

Result<bool> follow_log(const LogQuery& query, const PastRun& run, const FollowedLog& told) {
  return Follower(query, run, told).follow();
}

}  // namespace weir::cli
