// What weir and a weir-init share for one plan: the plan's file and the pipe of the output. With a weir-init
// that serves it stays for the next plan: making both, watching them and taking them down again cost a tenth
// of a small job.
//
// A process outside of the job to which a job without a sandbox has handed its standard output can write into
// the log of a later job by it. What it writes between two jobs is dropped.
//
// For .cpp files of core/exec only: it brings in Boost. Loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>

#include "core/exec/init_plan.h"

namespace weir {

class JobDesk : public std::enable_shared_from_this<JobDesk> {
 public:
  explicit JobDesk(boost::asio::io_context& loop) : output_(loop) {}

  // Gives the end of the pipe that is the job's.
  Result<UniqueFd> set_up(const InitPlan& plan);
  PlanFile& plan() { return plan_; }
  const PlanFile& plan() const { return plan_; }

  // `readable` is called when there is something to read; it says whether there may be more.
  void listen(std::function<bool()> readable);
  void ignore() { readable_ = {}; }
  int output() { return output_.native_handle(); }
  void close_output();

 private:
  void watch();
  bool drop_output();

  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  PlanFile plan_;
  Descriptor output_;
  std::function<bool()> readable_;
  bool watching_ = false;
};

}  // namespace weir
