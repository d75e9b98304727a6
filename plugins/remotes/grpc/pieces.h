// A question in pieces: so many calls at once, until all have been answered or its job is over.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "plugins/remotes/grpc/job.h"

namespace weir::reapi {

class Pieces : public std::enable_shared_from_this<Pieces> {
 public:
  explicit Pieces(JobPtr job) : job_(std::move(job)), there_(job_->operation().blobs.size(), '0') {}
  virtual ~Pieces() = default;
  Pieces(const Pieces&) = delete;

  void start(std::size_t count, std::size_t at_once) {
    count_ = count;
    if (count_ == 0) return job_->end(sdk::Ended::found(there_));
    while (next_ < count_ && next_ < at_once) ask_next();
  }

 protected:
  virtual CallNumber ask(std::size_t piece, std::function<void(const Status&, const std::string&)> done) = 0;
  // Sets `there_`, or ends the job.
  virtual void hear(std::size_t piece, const Status& status, const std::string& answer) = 0;

  JobPtr job_;
  std::string there_;

 private:
  void ask_next() {
    const auto piece = next_++;
    job_->owns(
        ask(piece, [self = shared_from_this(), piece](const Status& status, const std::string& answer) {
          if (!self->job_->is_over()) self->answered(piece, status, answer);
        }));
  }
  void answered(std::size_t piece, const Status& status, const std::string& answer) {
    hear(piece, status, answer);
    if (job_->is_over()) return;
    if (++answered_ == count_) job_->end(sdk::Ended::found(there_));
    else if (next_ < count_) ask_next();
  }

  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t answered_ = 0;
};

}  // namespace weir::reapi
