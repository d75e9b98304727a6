#include "plugins/remotes/grpc/records.h"

#include <weir_reapi.pb.h>

namespace weir::reapi {

namespace {

namespace v2 = build::bazel::remote::execution::v2;

template <class Request>
Request request_about(const Session& session, const sdk::BlobName& key) {
  Request request;
  request.set_instance_name(session.instance());
  request.mutable_action_digest()->set_hash(key.hash);
  request.mutable_action_digest()->set_size_bytes(static_cast<std::int64_t>(key.size));
  return request;
}

void keep(Job& job, const std::string& record) {
  if (record.size() > job.operation().length)
    return job.end(sdk::Ended::trouble("the record has " + std::to_string(record.size()) +
                                       " bytes, more than " + std::to_string(job.operation().length)));
  if (!job.write(0, record)) return;
  job.moved(record.size());
  job.end(sdk::Ended::done());
}

}  // namespace

CallNumber ask_for_record(Session& session, const sdk::BlobName& key,
                          std::function<void(const Status&, const std::string&)> done) {
  return session.ask("/build.bazel.remote.execution.v2.ActionCache/GetActionResult", key.hash,
                     request_about<v2::GetActionResultRequest>(session, key).SerializeAsString(),
                     std::move(done));
}

void get_record(Session& session, const JobPtr& job) {
  job->owns(ask_for_record(session, job->blob(), [job](const Status& status, const std::string& record) {
    if (job->is_over()) return;
    if (status.ok()) keep(*job, record);
    else job->end_with(status);
  }));
}

void put_record(Session& session, const JobPtr& job) {
  auto record = job->read(0, job->operation().length);
  if (!record) return;
  auto request = request_about<v2::UpdateActionResultRequest>(session, job->blob());
  request.set_action_result(std::move(*record));
  job->owns(session.ask("/build.bazel.remote.execution.v2.ActionCache/UpdateActionResult", job->blob().hash,
                        request.SerializeAsString(), [job](const Status& status, const std::string&) {
                          if (status.ok()) job->end(sdk::Ended::done());
                          else job->end_with(status);
                        }));
}

}  // namespace weir::reapi
