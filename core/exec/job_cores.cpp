#include "core/exec/job_cores.h"

#include <utility>

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

}  // namespace weir
