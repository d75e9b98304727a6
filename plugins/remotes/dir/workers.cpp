#include "plugins/remotes/dir/workers.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace weir::dir {
namespace {

using sdk::Ended;

constexpr int kWorkers = 4;
constexpr auto kPatience = std::chrono::seconds(1);

struct Job {
  sdk::Operation operation;
  std::atomic<bool> cancelled{false};
};
using JobPointer = std::shared_ptr<Job>;

}  // namespace

struct Workers::Shared {
  Shared(const std::string& url, sdk::RemoteSink given) : folder(url), sink(given) {}

  void work();
  void end_cancelled();
  JobPointer next(std::deque<JobPointer>& queue);
  void carry_out(Job& job);
  bool go_on(const Job& job, std::uint64_t bytes);
  void tell_end(const Job& job, const Ended& how);

  Folder folder;

  std::mutex mutex;
  std::condition_variable news;
  std::deque<JobPointer> waiting;
  std::deque<JobPointer> cancelled;  // while they waited
  std::map<std::uint64_t, JobPointer> running;
  int threads = 0;
  bool closing = false;

  // Held while weir is told, so that nobody is told after the close.
  std::mutex telling;
  const sdk::RemoteSink sink;
  bool closed = false;
};

// Nothing: it is over.
JobPointer Workers::Shared::next(std::deque<JobPointer>& queue) {
  std::unique_lock lock(mutex);
  news.wait(lock, [&] { return closing || !queue.empty(); });
  if (closing) return nullptr;
  auto job = std::move(queue.front());
  queue.pop_front();
  running.emplace(job->operation.number, job);
  return job;
}

void Workers::Shared::work() {
  while (const auto job = next(waiting)) carry_out(*job);
}

void Workers::Shared::end_cancelled() {
  while (const auto job = next(cancelled)) tell_end(*job, Ended::cancelled());
}

void Workers::Shared::carry_out(Job& job) {
  const auto how = [&] {
    try {
      return folder.carry_out(job.operation, [&](std::uint64_t bytes) { return go_on(job, bytes); });
    } catch (const std::exception& error) {
      return Ended::trouble(error.what());
    }
  }();
  tell_end(job, how);
}

bool Workers::Shared::go_on(const Job& job, std::uint64_t bytes) {
  if (job.cancelled.load()) return false;
  const std::lock_guard lock(telling);
  if (!closed && bytes > 0) sink.moved(job.operation.number, bytes);
  return !closed;
}

void Workers::Shared::tell_end(const Job& job, const Ended& how) {
  {
    const std::lock_guard lock(mutex);
    running.erase(job.operation.number);
  }
  const std::lock_guard lock(telling);
  if (!closed) sink.ended(job.operation.number, how);
}

Workers::Workers(const std::string& url, sdk::RemoteSink sink)
    : shared_(std::make_shared<Shared>(url, sink)) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(shared_->telling);
    shared_->closed = true;
  }
  std::unique_lock lock(shared_->mutex);
  shared_->closing = true;
  shared_->news.notify_all();
  const bool all_gone = shared_->news.wait_for(lock, kPatience, [this] { return shared_->threads == 0; });
  lock.unlock();
  for (auto& thread : threads_) all_gone ? thread.join() : thread.detach();
}

// Signals are weir's.
void Workers::start() {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  struct Restore {
    const sigset_t& mask;
    ~Restore() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const restore{before};
  const auto add = [this](void (Shared::*body)()) {
    threads_.emplace_back([shared = shared_, body] {
      ((*shared).*body)();
      const std::lock_guard lock(shared->mutex);
      --shared->threads;
      shared->news.notify_all();
    });
    ++shared_->threads;
  };
  for (int i = 0; i < kWorkers; ++i) add(&Shared::work);
  // One that never touches a file: it is there when all others are stuck.
  add(&Shared::end_cancelled);
}

void Workers::submit(sdk::Operation operation) {
  auto job = std::make_shared<Job>();
  job->operation = std::move(operation);
  const std::lock_guard lock(shared_->mutex);
  if (threads_.empty()) start();
  shared_->waiting.push_back(std::move(job));
  shared_->news.notify_all();
}

void Workers::cancel(std::uint64_t operation) {
  const std::lock_guard lock(shared_->mutex);
  if (const auto at = shared_->running.find(operation); at != shared_->running.end())
    at->second->cancelled = true;
  auto& waiting = shared_->waiting;
  const auto at = std::find_if(waiting.begin(), waiting.end(),
                               [&](const JobPointer& job) { return job->operation.number == operation; });
  if (at == waiting.end()) return;
  shared_->cancelled.push_back(std::move(*at));
  waiting.erase(at);
  shared_->news.notify_all();
}

}  // namespace weir::dir
