// The jobserver of a job on the loop: watches what comes back, and tells when the job has fewer cores.
// For .cpp files of core/exec only: it brings in Boost. Loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>

#include "core/exec/jobserver.h"

namespace weir {

class JobCores : public std::enable_shared_from_this<JobCores> {
 public:
  using Told = std::function<void(std::uint32_t cores)>;
  JobCores(boost::asio::io_context& loop, Jobserver server, Told told);

  ~JobCores() { close(); }
  JobCores(const JobCores&) = delete;
  JobCores& operator=(const JobCores&) = delete;

  void begin() { watch(); }
  const Jobserver& server() const { return server_; }
  void set(std::uint32_t cores);
  void processes_gone();
  // Tells nothing any more. To be called while the loop is there.
  void close();

 private:
  void watch();
  void look();
  void tell(std::uint32_t before);

  Jobserver server_;
  Told told_;
  boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type> returns_;  // not its owner
  bool watching_ = false;
};

}  // namespace weir
