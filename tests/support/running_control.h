// A fake run that listens in a folder, on a loop in a thread of its own, for those who talk to it from
// outside.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "core/control/control_server.h"
#include "tests/support/fake_run.h"

namespace weir {

class RunningControl {
 public:
  explicit RunningControl(const std::string& folder)
      : server_(loop_, folder, run_), thread_([this] { loop_.run(); }) {}
  ~RunningControl() {
    close();
    work_.reset();
    thread_.join();
  }

  // Done when it returns.
  void on_loop(const std::function<void(FakeRun&)>& call) {
    std::promise<void> done;
    boost::asio::post(loop_, [&] {
      call(run_);
      done.set_value();
    });
    done.get_future().wait();
  }
  void close() {
    on_loop([this](FakeRun&) { server_.close(); });
  }
  std::vector<std::string> calls() {
    std::vector<std::string> out;
    on_loop([&](FakeRun& run) { out = run.calls; });
    return out;
  }

 private:
  FakeRun run_;
  boost::asio::io_context loop_{1};
  // The loop goes on until it is told not to, also when the server is closed.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{loop_.get_executor()};
  ControlServer server_;
  std::thread thread_;
};

}  // namespace weir
