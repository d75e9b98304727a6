#include "core/exec/job_desk.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace weir {

Result<UniqueFd> JobDesk::set_up(const InitPlan& plan) {
  auto file = PlanFile::make(plan);
  if (!file) return tl::unexpected(file.error());
  plan_ = std::move(*file);
  int output[2];
  if (::pipe2(output, O_CLOEXEC | O_NONBLOCK) != 0) return fail_errno("making the output pipe of a job");
  output_.assign(output[0]);
  UniqueFd writer(output[1]);
  // The job's end blocks: programs do not expect EAGAIN on their standard output.
  ::fcntl(writer.get(), F_SETFL, 0);
  return writer;
}

void JobDesk::listen(std::function<bool()> readable) {
  readable_ = std::move(readable);
  if (!std::exchange(watching_, true)) watch();
}

void JobDesk::watch() {
  output_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                     [weak = weak_from_this()](boost::system::error_code error) {
                       const auto self = weak.lock();
                       if (!self || error || !self->output_.is_open()) return;
                       const auto readable = self->readable_;  // it may be replaced meanwhile
                       self->watching_ = readable ? readable() : self->drop_output();
                       if (self->watching_ && self->output_.is_open()) self->watch();
                     });
}

bool JobDesk::drop_output() {
  std::array<char, 4096> buffer;
  return ::read(output_.native_handle(), buffer.data(), buffer.size()) != 0;
}

void JobDesk::close_output() {
  boost::system::error_code ignored;
  output_.close(ignored);
}

}  // namespace weir
