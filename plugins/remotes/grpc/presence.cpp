#include "plugins/remotes/grpc/presence.h"

#include <weir_reapi.pb.h>

#include <algorithm>
#include <unordered_set>

#include "plugins/remotes/grpc/pieces.h"
#include "plugins/remotes/grpc/records.h"
#include "plugins/remotes/grpc/status.h"

namespace weir::reapi {

namespace {

namespace v2 = build::bazel::remote::execution::v2;

// 700 kilobytes of digests: well below what servers take.
constexpr std::size_t kBlobsInPiece = 10'000;
constexpr std::size_t kBlobCallsAtOnce = 4;
constexpr std::size_t kRecordCallsAtOnce = 32;

class BlobQuestion final : public Pieces {
 public:
  BlobQuestion(Session& session, JobPtr job) : Pieces(std::move(job)), session_(session) {
    const auto& blobs = job_->operation().blobs;
    for (std::size_t i = 0; i < blobs.size(); ++i) {
      if (blobs[i].size == 0) there_[i] = '1';  // the empty blob is everywhere
      else asked_.push_back(i);
    }
  }
  void begin() { start((asked_.size() + kBlobsInPiece - 1) / kBlobsInPiece, kBlobCallsAtOnce); }

 private:
  const sdk::BlobName& blob(std::size_t asked) const { return job_->operation().blobs[asked_[asked]]; }
  std::size_t end_of(std::size_t piece) const { return std::min(asked_.size(), (piece + 1) * kBlobsInPiece); }

  CallNumber ask(std::size_t piece, std::function<void(const Status&, const std::string&)> done) override {
    v2::FindMissingBlobsRequest request;
    request.set_instance_name(session_.instance());
    for (auto i = piece * kBlobsInPiece; i < end_of(piece); ++i) {
      auto& digest = *request.add_blob_digests();
      digest.set_hash(blob(i).hash);
      digest.set_size_bytes(static_cast<std::int64_t>(blob(i).size));
    }
    return session_.ask("/build.bazel.remote.execution.v2.ContentAddressableStorage/FindMissingBlobs",
                        blob(piece * kBlobsInPiece).hash, request.SerializeAsString(), std::move(done));
  }
  void hear(std::size_t piece, const Status& status, const std::string& answer) override {
    if (!status.ok()) return job_->end_with(status);
    v2::FindMissingBlobsResponse response;
    if (!response.ParseFromString(answer))
      return job_->end(sdk::Ended::trouble("the server's answer to FindMissingBlobs makes no sense"));
    std::unordered_set<std::string_view> missing;
    for (const auto& digest : response.missing_blob_digests()) missing.insert(digest.hash());
    for (auto i = piece * kBlobsInPiece; i < end_of(piece); ++i)
      there_[asked_[i]] = missing.count(blob(i).hash) ? '0' : '1';
  }

  Session& session_;
  std::vector<std::size_t> asked_;
};

// There is no call for many: each record is asked for, and thrown away.
class RecordQuestion final : public Pieces {
 public:
  RecordQuestion(Session& session, JobPtr job) : Pieces(std::move(job)), session_(session) {}
  void begin() { start(job_->operation().blobs.size(), kRecordCallsAtOnce); }

 private:
  CallNumber ask(std::size_t piece, std::function<void(const Status&, const std::string&)> done) override {
    return ask_for_record(session_, job_->operation().blobs[piece], std::move(done));
  }
  void hear(std::size_t piece, const Status& status, const std::string&) override {
    if (!status.ok() && status.code != kNotFound) return job_->end_with(status);
    there_[piece] = status.ok() ? '1' : '0';
  }

  Session& session_;
};

}  // namespace

void ask_for_blobs(Session& session, const JobPtr& job) {
  std::make_shared<BlobQuestion>(session, job)->begin();
}
void ask_for_records(Session& session, const JobPtr& job) {
  std::make_shared<RecordQuestion>(session, job)->begin();
}

}  // namespace weir::reapi
