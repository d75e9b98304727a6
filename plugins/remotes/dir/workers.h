// The threads of a remote: calls on files may block for as long as a server of NFS is away. Whoever closes
// the remote waits for them for a second at most; a thread that is stuck in the kernel after that keeps what
// it needs, and tells nobody.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include <weir/remote.hpp>

#include "plugins/remotes/dir/folder.h"

namespace weir::dir {

class Workers {
 public:
  Workers(const std::string& url, sdk::RemoteSink sink);  // throws Refused
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Any thread.
  void submit(sdk::Operation operation);
  void cancel(std::uint64_t operation);

 private:
  struct Shared;

  void start();

  const std::shared_ptr<Shared> shared_;
  std::vector<std::thread> threads_;  // under the mutex of what is shared
};

}  // namespace weir::dir
