#include "core/scheduler/asio_driver.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace weir {

namespace asio = boost::asio;

// Shared, because a wake-up posted by another thread may still be in the loop when the driver is gone.
struct AsioDriver::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& io, Scheduler& s) : loop(io), scheduler(&s), timer(io), work(io.get_executor()) {}

  void wake() {
    asio::post(loop, [self = shared_from_this()] { self->step(); });
  }
  void step() {
    if (!scheduler) return;
    const auto deadline = scheduler->step();
    if (scheduler->finished()) {
      timer.cancel();
      loop.stop();
      return;
    }
    if (deadline == armed) return;
    armed = deadline;
    if (!deadline) {
      timer.cancel();
      return;
    }
    timer.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(*deadline));
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (error) return;
      self->armed.reset();
      self->step();
    });
  }

  asio::io_context& loop;
  Scheduler* scheduler;
  asio::steady_timer timer;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  std::optional<Time> armed;
};

AsioDriver::AsioDriver(asio::io_context& loop, Scheduler& scheduler)
    : impl_(std::make_shared<Impl>(loop, scheduler)) {
  scheduler.door().on_wake([weak = std::weak_ptr<Impl>(impl_)] {
    if (const auto impl = weak.lock()) impl->wake();
  });
}

AsioDriver::~AsioDriver() {
  impl_->scheduler->door().on_wake({});
  impl_->scheduler = nullptr;
  impl_->timer.cancel();
  impl_->work.reset();
}

void AsioDriver::start() { impl_->wake(); }

void AsioDriver::run() {
  start();
  impl_->loop.restart();
  impl_->loop.run();
}

}  // namespace weir
