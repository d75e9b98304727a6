#include "plugins/remotes/grpc/batches.h"

#include <weir_reapi.pb.h>

#include <algorithm>

#include "plugins/remotes/grpc/status.h"

namespace weir::reapi {

namespace {

namespace v2 = build::bazel::remote::execution::v2;

// Four batches of four megabytes are all the memory that it takes; one alone would leave the line idle while the server writes.
constexpr int kAtOnce = 4;
// What is larger gains nothing from company, and a stream of it can be cancelled.
constexpr std::uint64_t kLargest = 256 << 10;
// Hash, length and status around each.
constexpr std::uint64_t kAround = 128;

std::uint64_t weight_of(const Job& job) { return job.blob().size + kAround; }

void end_found(Job& job, const std::string& data) {
  if (job.is_over()) return;
  if (data.size() != job.blob().size)
    return job.end(sdk::Ended::trouble("the server sent " + std::to_string(data.size()) + " bytes of a blob of " + std::to_string(job.blob().size)));
  if (!job.write(0, data)) return;
  job.moved(data.size());
  job.end(sdk::Ended::done());
}

// What an answer says of each, to all who asked for it.
template <class Answer, class Each, class Batch>
void for_each_answer(const Batch& batch, const std::string& text, const Each& each) {
  Answer answer;
  if (!answer.ParseFromString(text)) return;
  for (const auto& one : answer.responses()) {
    const auto at = batch.find(one.digest().hash());
    if (at == batch.end()) continue;
    for (const auto& job : at->second) {
      if (one.status().code() != 0) job->end_with({one.status().code(), one.status().message()});
      else each(*job, one);
    }
  }
}

void set(v2::Digest& digest, const sdk::BlobName& name) {
  digest.set_hash(name.hash);
  digest.set_size_bytes(static_cast<std::int64_t>(name.size));
}

}  // namespace

void Batches::add(JobPtr job) {
  if (!fits(*job)) return alone_(std::move(job));
  waiting_.push_back(std::move(job));
  pump_soon();
}

bool Batches::fits(const Job& job) const { return is_known_to_server_ && job.blob().size <= kLargest && weight_of(job) <= limit_; }

void Batches::pump_soon() {
  if (std::exchange(is_pump_due_, true)) return;
  session_.line().post([this] {
    is_pump_due_ = false;
    pump();
  });
}

void Batches::pump() {
  while (under_way_ < kAtOnce) {
    auto batch = take();
    if (batch.empty()) return;
    send(std::move(batch));
  }
}

Batches::Batch Batches::take() {
  Batch batch;
  std::uint64_t bytes = 0;
  for (; !waiting_.empty(); waiting_.pop_front()) {
    const auto& job = waiting_.front();
    if (job->is_over()) continue;
    bytes += weight_of(*job);
    if (!batch.empty() && bytes > limit_) break;
    batch[job->blob().hash].push_back(job);
  }
  return batch;
}

void Batches::send(Batch batch) {
  ++under_way_;
  const auto about = batch.begin()->first;
  auto request = request_of(batch);
  session_.ask(method_, about, std::move(request), [this, batch = std::move(batch)](const Status& status, const std::string& answer) {
    --under_way_;
    answered(batch, status, answer);
    pump();
  });
}

void Batches::answered(const Batch& batch, const Status& status, const std::string& answer) {
  if (status.code == kUnimplemented) return give_up_batches(batch);
  if (status.ok()) hear(batch, answer);
  for (const auto& [hash, jobs] : batch)
    for (const auto& job : jobs) {
      if (!status.ok()) job->end_with(status);
      else job->end(sdk::Ended::trouble("the server's answer says nothing of this blob"));
    }
}

void Batches::give_up_batches(const Batch& batch) {
  is_known_to_server_ = false;
  for (const auto& [hash, jobs] : batch) std::for_each(jobs.begin(), jobs.end(), alone_);
  for (const auto& job : std::exchange(waiting_, {})) alone_(job);
}

ReadBatches::ReadBatches(Session& session, std::function<void(JobPtr)> alone)
    : Batches(session, "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchReadBlobs", std::move(alone)) {}

std::string ReadBatches::request_of(const Batch& batch) {
  v2::BatchReadBlobsRequest request;
  request.set_instance_name(session_.instance());
  for (const auto& [hash, jobs] : batch) set(*request.add_digests(), jobs.front()->blob());
  return request.SerializeAsString();
}

void ReadBatches::hear(const Batch& batch, const std::string& answer) {
  for_each_answer<v2::BatchReadBlobsResponse>(batch, answer, [](Job& job, const auto& one) { end_found(job, one.data()); });
}

UpdateBatches::UpdateBatches(Session& session, std::function<void(JobPtr)> alone)
    : Batches(session, "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchUpdateBlobs", std::move(alone)) {}

std::string UpdateBatches::request_of(const Batch& batch) {
  v2::BatchUpdateBlobsRequest request;
  request.set_instance_name(session_.instance());
  for (const auto& [hash, jobs] : batch)
    for (const auto& job : jobs) {
      auto bytes = job->read(0, job->blob().size);
      if (!bytes) continue;
      auto& one = *request.add_requests();
      set(*one.mutable_digest(), job->blob());
      one.set_data(std::move(*bytes));
      break;
    }
  return request.SerializeAsString();
}

void UpdateBatches::hear(const Batch& batch, const std::string& answer) {
  for_each_answer<v2::BatchUpdateBlobsResponse>(batch, answer, [](Job& job, const auto&) {
    if (job.is_over()) return;
    job.moved(job.blob().size);
    job.end(sdk::Ended::done());
  });
}

}  // namespace weir::reapi
