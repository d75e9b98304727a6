// What can be asked of a run, and changed in it, while it goes on. Everything on the loop's thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/worker_order.h"

namespace weir {

class RunControl {
 public:
  virtual ~RunControl() = default;
  virtual std::string status() const = 0;  // a JSON object
  // `job` is its number, or the name of an element that has one; empty: all of them.
  virtual Status cancel(const std::string& job) = 0;
  virtual Status suspend(
      const std::string& job) = 0;  // empty: all jobs, and nothing new is started until resume
  virtual Status resume(const std::string& job) = 0;
  // `done` is called once, on the loop's thread, now or later: how many targets were taken in.
  using Submitted = std::function<void(Result<std::size_t>)>;
  virtual void submit(const std::string& requestor, const std::vector<std::string>& targets,
                      Submitted done) = 0;
  virtual std::string settings() const = 0;  // a JSON object: names that set() knows and their values
  virtual Status set(const std::string& name, const std::string& json) = 0;  // json: one JSON value
  virtual Status worker(const std::string& name, WorkerOrder order) = 0;
};

}  // namespace weir
