#include "plugins/remotes/http/engine.h"

#include <signal.h>

#include <stdexcept>
#include <utility>

namespace weir::http {
namespace {

using sdk::Ended;

// Requests at once, and connections without HTTP/2. On a loopback 16 are as fast, but a line with 50 ms to
// the server and back carries no more than 20 small blobs per second and request.
constexpr std::size_t kRequests = 64;

// Signals are weir's, and threads that libcurl starts inherit this.
std::thread thread_without_signals(auto&& body) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  struct Restore {
    const sigset_t& mask;
    ~Restore() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const restore{before};
  return std::thread(std::forward<decltype(body)>(body));
}

CURLM* new_multi() {
  static const CURLcode once = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  auto* multi = once == CURLE_OK ? ::curl_multi_init() : nullptr;
  if (!multi) throw std::runtime_error("libcurl cannot be used");
  ::curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(kRequests));
  ::curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(kRequests));
  return multi;
}

}  // namespace

Engine::Engine(Access access, sdk::RemoteSink sink)
    : access_(std::move(access)), sink_(sink), multi_(new_multi(), curl_multi_cleanup) {}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    orders_.stop = true;
  }
  ::curl_multi_wakeup(multi_.get());
  if (thread_.joinable()) thread_.join();
  for (const auto& exchange : exchanges_) ::curl_multi_remove_handle(multi_.get(), exchange->easy());
}

void Engine::submit(sdk::Operation operation) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = thread_without_signals([this] { run(); });
    orders_.operations.push_back(std::move(operation));
  }
  ::curl_multi_wakeup(multi_.get());
}

void Engine::cancel(std::uint64_t operation) {
  {
    const std::lock_guard lock(mutex_);
    orders_.cancelled.push_back(operation);
  }
  ::curl_multi_wakeup(multi_.get());
}

void Engine::run() {
  constexpr int kMinuteMs = 60'000;  // whatever happens wakes it earlier
  while (take_orders()) {
    start_waiting();
    int running = 0;
    ::curl_multi_perform(multi_.get(), &running);
    if (!reap()) ::curl_multi_poll(multi_.get(), nullptr, 0, kMinuteMs, nullptr);
  }
}

// False: it is over.
bool Engine::take_orders() {
  Orders orders;
  {
    const std::lock_guard lock(mutex_);
    if (orders_.stop) return false;
    std::swap(orders, orders_);
  }
  for (auto& operation : orders.operations) accept(std::move(operation));
  for (const auto number : orders.cancelled)
    if (const auto at = tasks_.find(number); at != tasks_.end()) end(at->second, Ended::cancelled());
  return true;
}

void Engine::accept(sdk::Operation operation) {
  if (operation.blobs.empty()) return sink_.ended(operation.number, Ended::found({}));
  const auto number = operation.number;
  std::string there(operation.blobs.size(), '0');
  waiting_.push_back(&tasks_.emplace(number, Task{std::move(operation), std::move(there)}).first->second);
}

void Engine::start_waiting() {
  while (!waiting_.empty() && (!idle_.empty() || exchanges_.size() < kRequests)) {
    auto& task = *waiting_.front();
    waiting_.pop_front();
    start(task);
  }
}

void Engine::start(Task& task) {
  auto& exchange = idle_exchange();
  task.running.push_back(&exchange);
  exchange.ask(task.operation, task.asked++);
  if (task.asked < task.operation.blobs.size()) waiting_.push_back(&task);
  add(task, exchange);
}

void Engine::add(Task& task, const Exchange& exchange) {
  const auto code = ::curl_multi_add_handle(multi_.get(), exchange.easy());
  if (code != CURLM_OK) end(task, Ended::trouble(::curl_multi_strerror(code)));
}

Exchange& Engine::idle_exchange() {
  if (idle_.empty()) return *exchanges_.emplace_back(std::make_unique<Exchange>(access_, sink_));
  auto& exchange = *idle_.back();
  idle_.pop_back();
  return exchange;
}

// True if something ended: then others can start.
bool Engine::reap() {
  bool any = false;
  int left = 0;
  while (const auto* message = ::curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    any = true;
    ended(Exchange::of(message->easy_handle), message->data.result);
  }
  return any;
}

void Engine::ended(Exchange& exchange, CURLcode code) {
  auto& task = tasks_.at(exchange.operation().number);
  ::curl_multi_remove_handle(multi_.get(), exchange.easy());
  const auto how = exchange.end(code);
  if (how) note(task, exchange, *how);
  else add(task, exchange);
}

void Engine::note(Task& task, Exchange& exchange, const Ended& how) {
  const bool asks =
      task.operation.action == sdk::Action::has || task.operation.action == sdk::Action::has_record;
  const bool answered = how.outcome == WEIR_REMOTE_DONE || how.outcome == WEIR_REMOTE_MISSING;
  if (!asks || !answered) return end(task, how);
  if (how.outcome == WEIR_REMOTE_DONE) task.there[exchange.index()] = '1';
  release(task, exchange);
  sink_.moved(task.operation.number, ++task.answered);  // so that weir sees that it goes on
  if (task.running.empty() && task.asked == task.operation.blobs.size())
    end(task, Ended::found(std::move(task.there)));
}

void Engine::end(Task& task, const Ended& how) {
  while (!task.running.empty()) release(task, *task.running.back());
  std::erase(waiting_, &task);
  const auto number = task.operation.number;
  tasks_.erase(number);
  sink_.ended(number, how);
}

void Engine::release(Task& task, Exchange& exchange) {
  ::curl_multi_remove_handle(multi_.get(), exchange.easy());
  std::erase(task.running, &exchange);
  idle_.push_back(&exchange);
}

}  // namespace weir::http
