// A server of the Remote Execution API as a cache: who does which operation. Everything but submit and cancel
// happens on the thread of the line.
#pragma once

#include <unordered_map>
#include <vector>

#include <weir/remote.hpp>

#include "plugins/remotes/grpc/batches.h"
#include "plugins/remotes/grpc/capabilities.h"
#include "plugins/remotes/grpc/job.h"
#include "plugins/remotes/grpc/session.h"
#include "plugins/remotes/grpc/transfers.h"

namespace weir::reapi {

class Cache {
 public:
  Cache(LineSettings line, std::string instance, std::string token, sdk::RemoteSink sink);
  ~Cache();
  Cache(const Cache&) = delete;

  void submit(sdk::Operation operation);  // [any thread]
  void cancel(std::uint64_t operation);   // [any thread]

 private:
  void take(sdk::Operation operation);
  void start(const JobPtr& job);
  void ask_for_capabilities();
  void hear_capabilities(const Capabilities& capabilities);

  sdk::RemoteSink sink_;
  Line line_;
  Session session_;
  Transfers transfers_;
  ReadBatches reads_;
  UpdateBatches updates_;
  std::unordered_map<std::uint64_t, JobPtr> jobs_;
  std::vector<JobPtr> waiting_;  // until the server has said what it can do
  bool is_asking_ = false;
  bool is_known_ = false;
  Limits limits_;
};

}  // namespace weir::reapi
