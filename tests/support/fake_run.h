// A run that writes down what it is asked, and answers as the test says.
#pragma once

#include <fmt/format.h>

#include "core/control/run_control.h"

namespace weir {

class FakeRun final : public RunControl {
 public:
  std::string status() const override {
    calls.emplace_back("status");
    return status_text;
  }
  Status cancel(const std::string& job) override { return note("cancel", job); }
  Status suspend(const std::string& job) override { return note("suspend", job); }
  Status resume(const std::string& job) override { return note("resume", job); }
  void submit(const std::string& requestor, const std::vector<std::string>& targets,
              Submitted done) override {
    calls.push_back(fmt::format("submit {} {}", requestor, fmt::join(targets, ",")));
    if (submit_later) submitted.push_back(std::move(done));
    else done(targets.size());
  }
  std::string settings() const override { return R"({"loads":{"ci":70.10},"rebalance-threshold":50})"; }
  Status set(const std::string& name, const std::string& json) override { return note("set " + name, json); }
  Status worker(const std::string& name, WorkerOrder order) override {
    return note(fmt::format("worker {}", static_cast<int>(order)), name);
  }

  mutable std::vector<std::string> calls;
  std::string status_text = R"({"run":3,"state":"running"})";
  bool submit_later = false;
  std::vector<Submitted> submitted;
  Status answer;  // of all that can be refused

 private:
  Status note(const std::string& what, const std::string& whom) {
    calls.push_back(whom.empty() ? what : what + " " + whom);
    return answer;
  }
};

}  // namespace weir
