// The jobserver of a job on the loop: watches what comes back, and tells when the job has fewer cores.
// For .cpp files of core/exec only: it brings in Boost. Loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/jobserver.h"
#include "core/model/job_spec.h"

namespace weir {

class JobCores : public std::enable_shared_from_this<JobCores> {
 public:
  using Told = std::function<void(std::uint32_t cores)>;
  JobCores(boost::asio::io_context& loop, Jobserver server, Told told);

  ~JobCores() { close(); }
  JobCores(const JobCores&) = delete;
  JobCores& operator=(const JobCores&) = delete;

  void begin() { watch(); }
  // MAKEFLAGS of the job, behind what the user has there.
  void add_to(std::vector<std::pair<std::string, std::string>>& environment, bool sandboxed) const;
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
  boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>
      returns_;  // not its owner
  bool watching_ = false;
};

// Nothing for a job that shares no cores by a jobserver. If none can be made, that is logged: the job does
// its work all the same, only with fewer processes at once. `path` is where a fifo would be.
std::shared_ptr<JobCores> make_job_cores(boost::asio::io_context& loop, const JobSpec& spec,
                                         const std::string& path, JobCores::Told told);

}  // namespace weir
