// One operation of weir until its end was told. Used on the thread of the line alone, so that nobody touches
// the file of an operation that was cancelled in between.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/remote.hpp>

#include "plugins/remotes/grpc/line.h"

namespace weir::reapi {

class Job {
 public:
  Job(sdk::Operation operation, sdk::RemoteSink sink, Line& line, std::function<void()> over)
      : operation_(std::move(operation)), sink_(sink), line_(line), over_(std::move(over)) {}

  const sdk::Operation& operation() const { return operation_; }
  const sdk::BlobName& blob() const { return operation_.blob(); }
  bool is_over() const { return is_over_; }

  // A call that is made for nobody else: it is cancelled with the job.
  void owns(CallNumber call) { calls_.push_back(call); }
  // The first end is the one that counts.
  void end(const sdk::Ended& how);
  void end_with(const Status& status);
  void moved(std::uint64_t bytes) const { sink_.moved(operation_.number, bytes); }

  // Both end the job if the file does not do it.
  std::optional<std::string> read(std::uint64_t offset, std::size_t size);
  bool write(std::uint64_t offset, std::string_view bytes);

 private:
  sdk::Operation operation_;
  sdk::RemoteSink sink_;
  Line& line_;
  std::function<void()> over_;
  std::vector<CallNumber> calls_;
  bool is_over_ = false;
};

using JobPtr = std::shared_ptr<Job>;

}  // namespace weir::reapi
