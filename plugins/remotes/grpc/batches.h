// Small blobs go together: those that come while calls are under way wait for the next one. Nobody waits for
// a clock; what comes when nothing is under way goes with what came in the same turn.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plugins/remotes/grpc/capabilities.h"
#include "plugins/remotes/grpc/job.h"
#include "plugins/remotes/grpc/session.h"

namespace weir::reapi {

class Batches {
 public:
  // `alone`: takes the jobs if the server does not know the call. Bazel's own worker has no BatchReadBlobs,
  // for one.
  Batches(Session& session, std::string method, std::function<void(JobPtr)> alone)
      : session_(session), method_(std::move(method)), alone_(std::move(alone)) {}
  virtual ~Batches() = default;
  Batches(const Batches&) = delete;

  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  void add(JobPtr job);

 protected:
  // By hash, since several operations may want the same blob; the request has them in this order.
  using Batch = std::map<std::string, std::vector<JobPtr>>;
  // Takes out what cannot be sent.
  virtual std::string request_of(Batch& batch) = 0;
  // Ends all those that the answer is about.
  virtual void hear(const Batch& batch, const std::string& answer) = 0;

  Session& session_;

 private:
  bool fits(const Job& job) const;
  void pump_soon();
  void pump();
  Batch take();
  void send(Batch batch);
  void answered(const Batch& batch, const Status& status, const std::string& answer);
  void give_up_batches(const Batch& batch);

  std::string method_;
  std::function<void(JobPtr)> alone_;
  std::uint64_t limit_ = kLongestBatch;
  std::deque<JobPtr> waiting_;
  int under_way_ = 0;
  bool is_pump_due_ = false;
  bool is_known_to_server_ = true;
};

class ReadBatches final : public Batches {
 public:
  ReadBatches(Session& session, std::function<void(JobPtr)> alone);

 private:
  std::string request_of(Batch& batch) override;
  void hear(const Batch& batch, const std::string& answer) override;
};

class UpdateBatches final : public Batches {
 public:
  UpdateBatches(Session& session, std::function<void(JobPtr)> alone);

 private:
  std::string request_of(Batch& batch) override;
  void hear(const Batch& batch, const std::string& answer) override;
};

}  // namespace weir::reapi
