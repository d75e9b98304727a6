// weir's launcher for Boost.Process v2: core/exec/spawn.h below, a basic_process above, whose pidfd the Asio
// loop watches. The launchers of 1.81 fork (slow in a large process) or abort (vfork_launcher runs Asio's
// fork hooks in shared memory), and call exit() when exec fails.
//
// Asio takes the pidfd as a descriptor that may have duplicates and so removes it from epoll before it closes
// it. For .cpp files only: it brings in Boost.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/process/v2/process.hpp>

#include "core/exec/spawn.h"

namespace weir {

struct Launcher {
  // On failure the process is empty (id() < 0) and `failure` says where and why.
  template <class AsioExecutor>
  boost::process::v2::basic_process<AsioExecutor> operator()(AsioExecutor executor,
                                                             const SpawnRequest& request,
                                                             Spawned& failure) const {
    failure = spawn(request);
    using Process = boost::process::v2::basic_process<AsioExecutor>;
    if (failure.pid < 0) return Process(std::move(executor));
    return Process(std::move(executor), failure.pid, failure.pidfd.release());
  }
};

using LoopProcess = boost::process::v2::basic_process<boost::asio::io_context::executor_type>;

}  // namespace weir
