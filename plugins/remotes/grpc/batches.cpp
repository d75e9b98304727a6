#include "plugins/remotes/grpc/batches.h"

#include <weir_reapi.pb.h>

#include <algorithm>

#include "plugins/remotes/grpc/status.h"

namespace weir::reapi {

namespace {

namespace v2 = build::bazel::remote::execution::v2;

// Four batches of four megabytes are all the memory that it takes; one alone would leave the line idle while
// the server writes.
constexpr int kAtOnce = 4;
// What is larger gains nothing from company, and a stream of it can be cancelled.
constexpr std::uint64_t kLargest = 256 << 10;
// Hash, length and status around each.
constexpr std::uint64_t kAround = 128;

std::uint64_t weight_of(const Job& job) { return job.blob().size + kAround; }

void end_found(Job& job, const std::string& data) {
  if (job.is_over()) return;
  if (data.size() != job.blob().size)
    return job.end(sdk::Ended::something_else("the server sent " + std::to_string(data.size()) +
                                              " bytes of a blob of " + std::to_string(job.blob().size)));
  if (!job.write(0, data)) return;
  job.moved(data.size());
  job.end(sdk::Ended::done());
}

// Whom the answer at `at` is about. Bazel's worker leaves the digests out, but keeps the order.
template <class Batch, class Answer>
auto asked_for(const Batch& batch, const Answer& answer, int at) {
  const auto& one = answer.responses(at);
  if (one.has_digest()) return batch.find(one.digest().hash());
  return static_cast<std::size_t>(answer.responses_size()) == batch.size() ? std::next(batch.begin(), at)
                                                                           : batch.end();
}

// What an answer says of each, to all who asked for it.
template <class Answer, class Each, class Batch>
void for_each_answer(const Batch& batch, const std::string& text, const Each& each) {
  Answer answer;
  if (!answer.ParseFromString(text)) return;
  for (int i = 0; i < answer.responses_size(); ++i) {
    const auto asked = asked_for(batch, answer, i);
    if (asked == batch.end()) continue;
    const auto& one = answer.responses(i);
    for (const auto& job : asked->second) {
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

bool Batches::fits(const Job& job) const {
  return is_known_to_server_ && job.blob().size <= kLargest && weight_of(job) <= limit_;
}

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
  const auto about = batch.begin()->first;
  auto request = request_of(batch);
  if (batch.empty()) return;
  ++under_way_;
  session_.ask(method_, about, std::move(request),
               [this, batch = std::move(batch)](const Status& status, const std::string& answer) {
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
    : Batches(session, "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchReadBlobs",
              std::move(alone)) {}

std::string ReadBatches::request_of(Batch& batch) {
  v2::BatchReadBlobsRequest request;
  request.set_instance_name(session_.instance());
  for (const auto& [hash, jobs] : batch) set(*request.add_digests(), jobs.front()->blob());
  return request.SerializeAsString();
}

void ReadBatches::hear(const Batch& batch, const std::string& answer) {
  for_each_answer<v2::BatchReadBlobsResponse>(batch, answer,
                                              [](Job& job, const auto& one) { end_found(job, one.data()); });
}

UpdateBatches::UpdateBatches(Session& session, std::function<void(JobPtr)> alone)
    : Batches(session, "/build.bazel.remote.execution.v2.ContentAddressableStorage/BatchUpdateBlobs",
              std::move(alone)) {}

std::string UpdateBatches::request_of(Batch& batch) {
  v2::BatchUpdateBlobsRequest request;
  request.set_instance_name(session_.instance());
  const auto add = [&](Job& job) {
    auto bytes = job.read(0, job.blob().size);
    if (!bytes) return false;
    auto& one = *request.add_requests();
    set(*one.mutable_digest(), job.blob());
    one.set_data(std::move(*bytes));
    return true;
  };
  std::erase_if(batch, [&](const auto& entry) {
    return std::none_of(entry.second.begin(), entry.second.end(),
                        [&](const JobPtr& job) { return add(*job); });
  });
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
