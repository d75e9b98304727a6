// All requests of a remote, on one thread of its own: libcurl's multi interface over a fixed set of handles
// that share connections. An operation is one request, or one for each name that is asked about; operations
// take turns, so that a question about thousands of names holds up nobody.
#pragma once

#include <curl/curl.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <weir/remote.hpp>

#include "plugins/remotes/http/access.h"
#include "plugins/remotes/http/exchange.h"

namespace weir::http {

class Engine {
 public:
  Engine(Access access, sdk::RemoteSink sink);
  // Operations that still run are dropped without a word.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Any thread.
  void submit(sdk::Operation operation);
  void cancel(std::uint64_t operation);

 private:
  // An operation as it goes.
  struct Task {
    sdk::Operation operation;
    std::string there;      // has and has_record: '0' for those that are not known to be there
    std::size_t asked = 0;  // names
    std::size_t answered = 0;
    std::vector<Exchange*> running = {};
  };
  struct Orders {
    std::vector<sdk::Operation> operations;
    std::vector<std::uint64_t> cancelled;
    bool stop = false;
  };
  using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;

  // The rest: the engine's thread alone.
  void run();
  bool take_orders();
  void accept(sdk::Operation operation);
  void start_waiting();
  void start(Task& task);
  void add(Task& task, const Exchange& exchange);
  bool reap();
  void ended(Exchange& exchange, CURLcode code);
  void note(Task& task, Exchange& exchange, const sdk::Ended& how);
  void end(Task& task, const sdk::Ended& how);
  Exchange& idle_exchange();
  void release(Task& task, Exchange& exchange);

  const Access access_;
  const sdk::RemoteSink sink_;
  const Multi multi_;

  std::mutex mutex_;
  Orders orders_;
  std::thread thread_;

  std::map<std::uint64_t, Task> tasks_;
  std::deque<Task*> waiting_;  // those with names that were not asked for yet
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  std::vector<Exchange*> idle_;
};

}  // namespace weir::http
