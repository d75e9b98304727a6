// Blobs in pieces by ByteStream, each by a call of its own: the large ones, and all of them where a server
// has no batches.
#pragma once

#include <deque>

#include "plugins/remotes/grpc/job.h"
#include "plugins/remotes/grpc/session.h"

namespace weir::reapi {

class Transfers {
 public:
  explicit Transfers(Session& session) : session_(session) {}
  Transfers(const Transfers&) = delete;

  void add(JobPtr job);

 private:
  void pump();
  void start(const JobPtr& job);
  void one_ended();

  Session& session_;
  std::deque<JobPtr> waiting_;
  int under_way_ = 0;
};

}  // namespace weir::reapi
