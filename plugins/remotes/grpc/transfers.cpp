#include "plugins/remotes/grpc/transfers.h"

#include <weir_bytestream.pb.h>

#include <algorithm>
#include <functional>

namespace weir::reapi {

namespace {

namespace bytestream = google::bytestream;

// Each holds a piece or two in memory; servers allow a hundred streams on a connection.
constexpr int kAtOnce = 64;
constexpr std::uint64_t kPiece = 256 << 10;

std::string blob_path(const sdk::BlobName& blob) {
  return "blobs/" + blob.hash + "/" + std::to_string(blob.size);
}

class Download final : public Stream {
 public:
  Download(JobPtr job, std::string resource, std::function<void()> after)
      : job_(std::move(job)), resource_(std::move(resource)), after_(std::move(after)) {}

  Outgoing next() override {
    bytestream::ReadRequest request;
    request.set_resource_name(resource_);
    return {request.SerializeAsString(), true};
  }
  void received(std::string_view message) override {
    if (job_->is_over()) return;
    if (!piece_.ParseFromArray(message.data(), static_cast<int>(message.size())))
      return job_->end(sdk::Ended::trouble("a piece of the blob makes no sense"));
    const auto& data = piece_.data();
    if (data.size() > job_->blob().size - have_)
      return job_->end(sdk::Ended::something_else("the server sent more than the " +
                                                  std::to_string(job_->blob().size) + " bytes of the blob"));
    if (!job_->write(have_, data)) return;
    have_ += data.size();
    job_->moved(have_);
  }
  void ended(const Status& status) override {
    if (!status.ok()) job_->end_with(status);
    else if (have_ < job_->blob().size)
      job_->end(sdk::Ended::something_else("truncated: " + std::to_string(have_) + " of " +
                                           std::to_string(job_->blob().size) + " bytes came"));
    else job_->end(sdk::Ended::done());
    after_();
  }

 private:
  JobPtr job_;
  std::string resource_;
  std::function<void()> after_;
  bytestream::ReadResponse piece_;
  std::uint64_t have_ = 0;
};

class Upload final : public Stream {
 public:
  Upload(JobPtr job, std::string resource, std::function<void()> after)
      : job_(std::move(job)), resource_(std::move(resource)), after_(std::move(after)) {}

  Outgoing next() override {
    // It is asked for more when what it gave is on its way.
    if (!job_->is_over() && sent_ > 0) job_->moved(sent_);
    const auto size = std::min(kPiece, job_->blob().size - sent_);
    auto bytes = job_->is_over() ? std::nullopt : job_->read(sent_, size);
    if (!bytes) return {};  // the call is cancelled with the job
    bytestream::WriteRequest request;
    if (sent_ == 0) request.set_resource_name(resource_);
    request.set_write_offset(static_cast<std::int64_t>(sent_));
    request.set_data(std::move(*bytes));
    sent_ += size;
    request.set_finish_write(sent_ == job_->blob().size);
    return {request.SerializeAsString(), request.finish_write()};
  }
  void received(std::string_view message) override {
    bytestream::WriteResponse response;
    if (response.ParseFromArray(message.data(), static_cast<int>(message.size())))
      taken_ = response.committed_size();
  }
  // A server that has the blob already says so before all was sent.
  void ended(const Status& status) override {
    if (!status.ok()) job_->end_with(status);
    else if (taken_ != static_cast<std::int64_t>(job_->blob().size))
      job_->end(sdk::Ended::trouble("the server took " + std::to_string(taken_) + " of " +
                                    std::to_string(job_->blob().size) + " bytes"));
    else job_->end(sdk::Ended::done());
    after_();
  }

 private:
  JobPtr job_;
  std::string resource_;
  std::function<void()> after_;
  std::uint64_t sent_ = 0;
  std::int64_t taken_ = 0;
};

}  // namespace

void Transfers::add(JobPtr job) {
  waiting_.push_back(std::move(job));
  pump();
}

void Transfers::pump() {
  while (under_way_ < kAtOnce && !waiting_.empty()) {
    const auto job = std::move(waiting_.front());
    waiting_.pop_front();
    if (!job->is_over()) start(job);
  }
}

void Transfers::start(const JobPtr& job) {
  ++under_way_;
  const auto after = [this] { one_ended(); };
  const auto& blob = job->blob();
  if (job->operation().is_put()) {
    auto upload = std::make_shared<Upload>(
        job, session_.resource("uploads/" + random_uuid() + "/" + blob_path(blob)), after);
    job->owns(session_.start("/google.bytestream.ByteStream/Write", blob.hash, std::move(upload)));
  } else {
    auto download = std::make_shared<Download>(job, session_.resource(blob_path(blob)), after);
    job->owns(session_.start("/google.bytestream.ByteStream/Read", blob.hash, std::move(download)));
  }
}

void Transfers::one_ended() {
  --under_way_;
  pump();
}

}  // namespace weir::reapi
