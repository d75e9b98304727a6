#include "core/exec/job_cores.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "core/exec/job_process.h"
#include "core/exec/process_steps.h"
#include "core/exec/sandbox.h"

namespace weir {

using boost::system::error_code;
using WaitType = boost::asio::posix::descriptor_base;

JobCores::JobCores(boost::asio::io_context& loop, Jobserver server, Told told)
    : server_(std::move(server)), told_(std::move(told)), returns_(loop) {}

void JobCores::set(std::uint32_t cores) {
  const auto before = server_.cores();
  server_.set(cores);
  tell(before);
  watch();
}

void JobCores::look() {
  const auto before = server_.cores();
  server_.take_returns();
  tell(before);
}

// Of two pipes all that comes back passes here; otherwise it is looked at only while something is owed.
void JobCores::watch() {
  const bool passes = server_.form() == Jobserver::Form::two_pipes && server_.cores() > 1;
  if (!told_ || watching_ || (!passes && !server_.is_owed())) return;
  if (!returns_.is_open()) returns_.assign(server_.returns());
  watching_ = true;
  returns_.async_wait(WaitType::wait_read, [self = shared_from_this()](error_code error) {
    self->watching_ = false;
    if (error || !self->told_) return;
    self->look();
    self->watch();
  });
}

void JobCores::processes_gone() {
  const auto before = server_.cores();
  server_.renew();
  tell(before);
}

void JobCores::close() {
  told_ = nullptr;
  if (returns_.is_open()) returns_.release();  // the descriptor is the server's
}

void JobCores::tell(std::uint32_t before) {
  if (told_ && server_.cores() < before) told_(server_.cores());
}

void JobCores::add_to(std::vector<std::pair<std::string, std::string>>& environment, bool sandboxed) const {
  auto flags = std::find_if(environment.begin(), environment.end(),
                            [](const auto& one) { return one.first == "MAKEFLAGS"; });
  if (flags == environment.end()) flags = environment.insert(flags, {"MAKEFLAGS", ""});
  const auto path = sandboxed ? std::string(kInsideJobserver) : server_.path();
  flags->second = server_.form() == Jobserver::Form::fifo
                      ? make_flags(flags->second, path)
                      : make_flags(flags->second, init::kJobserverReader, init::kJobserverWriter);
}

std::shared_ptr<JobCores> make_job_cores(boost::asio::io_context& loop, const JobSpec& spec,
                                         const std::string& path, JobCores::Told told) {
  const bool shares = spec.sharing == CoreSharing::pipe || spec.sharing == CoreSharing::fifo;
  if (!shares || std::none_of(spec.steps.begin(), spec.steps.end(), is_process_step)) return nullptr;
  const bool grows = spec.most_cores > spec.limits.cores;
  const auto form = spec.sharing == CoreSharing::fifo ? Jobserver::Form::fifo
                    : grows                           ? Jobserver::Form::two_pipes
                                                      : Jobserver::Form::pipe;
  auto server = Jobserver::make(form, path, spec.limits.cores);
  if (!server) {
    log_warn("{}: {}", spec.label, server.error().message);
    return nullptr;
  }
  auto cores = std::make_shared<JobCores>(loop, std::move(*server), std::move(told));
  cores->begin();
  return cores;
}

}  // namespace weir
