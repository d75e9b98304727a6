#include "plugins/remotes/grpc/cache.h"

#include <utility>

#include "plugins/remotes/grpc/presence.h"
#include "plugins/remotes/grpc/records.h"

namespace weir::reapi {

namespace {

// The empty blob is everywhere, and no call is made for it.
bool is_empty_blob(const sdk::Operation& operation) {
  const bool is_one_blob = operation.action == sdk::Action::get || operation.action == sdk::Action::put;
  return is_one_blob && operation.blob().size == 0;
}

}  // namespace

Cache::Cache(LineSettings line, std::string instance, std::string token, sdk::RemoteSink sink)
    : sink_(sink),
      line_(std::move(line)),
      session_(line_, std::move(instance), std::move(token)),
      transfers_(session_),
      reads_(session_, [this](JobPtr job) { transfers_.add(std::move(job)); }),
      updates_(session_, [this](JobPtr job) { transfers_.add(std::move(job)); }) {}

// Calls that still run speak to what is below.
Cache::~Cache() { line_.close(); }

void Cache::submit(sdk::Operation operation) {
  line_.post([this, operation = std::move(operation)]() mutable { take(std::move(operation)); });
}

void Cache::cancel(std::uint64_t operation) {
  line_.post([this, operation] {
    const auto at = jobs_.find(operation);
    if (at == jobs_.end()) return;
    const auto job = at->second;
    job->end(sdk::Ended::cancelled());
  });
}

void Cache::take(sdk::Operation operation) {
  if (is_empty_blob(operation)) return sink_.ended(operation.number, sdk::Ended::done());
  const auto number = operation.number;
  const auto job =
      std::make_shared<Job>(std::move(operation), sink_, line_, [this, number] { jobs_.erase(number); });
  jobs_.emplace(number, job);
  if (is_known_) return start(job);
  waiting_.push_back(job);
  if (!std::exchange(is_asking_, true)) ask_for_capabilities();
}

void Cache::start(const JobPtr& job) {
  switch (job->operation().action) {
    case sdk::Action::has: return ask_for_blobs(session_, job);
    case sdk::Action::get: return reads_.add(job);
    case sdk::Action::put: return updates_.add(job);
    case sdk::Action::has_record: return ask_for_records(session_, job);
    case sdk::Action::get_record: return get_record(session_, job);
    case sdk::Action::put_record:
      if (!limits_.takes_records)
        return job->end(sdk::Ended::refused("the server takes no records from here"));
      return put_record(session_, job);
  }
  job->end(sdk::Ended::refused("an action that this plugin does not know"));
}

void Cache::ask_for_capabilities() {
  session_.ask("/build.bazel.remote.execution.v2.Capabilities/GetCapabilities", "capabilities",
               capabilities_request(session_.instance()),
               [this](const Status& status, const std::string& answer) {
                 is_asking_ = false;
                 hear_capabilities(capabilities_of(status, answer));
               });
}

// A server that could not be asked is asked again by the next operation.
void Cache::hear_capabilities(const Capabilities& capabilities) {
  is_known_ = capabilities.verdict.outcome == WEIR_REMOTE_DONE;
  limits_ = capabilities.limits;
  reads_.set_limit(limits_.batch_bytes);
  updates_.set_limit(limits_.batch_bytes);
  for (const auto& job : std::exchange(waiting_, {})) {
    if (job->is_over()) continue;
    if (is_known_) start(job);
    else job->end(capabilities.verdict);
  }
}

}  // namespace weir::reapi
