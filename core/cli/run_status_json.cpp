#include <unistd.h>

#include "core/base/json_writer.h"
#include "core/cli/run_orders.h"

namespace weir::cli {

namespace {

void write_jobs(JsonWriter& out, const std::vector<RunStatus::Job>& jobs) {
  out.key("jobs").begin_array();
  for (const auto& job : jobs) {
    out.begin_object()
        .key("job")
        .value(job.number)
        .key("element")
        .value(job.element)
        .key("queue")
        .value(job.queue);
    out.key("worker").value(job.worker);
    if (!job.work_class.empty()) out.key("class").value(job.work_class);
    out.key("requestor")
        .value(job.requestor)
        .key("seconds")
        .value(job.seconds)
        .key("state")
        .value(job.state)
        .end_object();
  }
  out.end_array();
}

void write_queues(JsonWriter& out, const std::vector<RunStatus::QueueLine>& queues) {
  out.key("queues").begin_array();
  for (const auto& queue : queues) {
    out.begin_object()
        .key("name")
        .value(queue.name)
        .key("waiting")
        .value(queue.waiting)
        .key("ready")
        .value(queue.ready);
    out.key("running").value(queue.running).key("done").value(queue.done).key("skipped").value(queue.skipped);
    out.key("failed").value(queue.failed).end_object();
  }
  out.end_array();
}

}  // namespace

std::string status_json(const RunStatus& status, std::uint64_t run, std::string_view project) {
  std::string text;
  JsonWriter out(text);
  out.begin_object().key("v").value(1).key("run").value(run).key("project").value(project).key("pid").value(
      ::getpid());
  out.key("seconds").value(status.seconds).key("state").value(status.state);
  write_queues(out, status.queues);
  out.key("tokens").begin_array();
  for (const auto& token : status.tokens)
    out.begin_object()
        .key("name")
        .value(token.name)
        .key("capacity")
        .value(token.capacity)
        .key("used")
        .value(token.used)
        .end_object();
  out.end_array().key("classes").begin_array();
  for (const auto& one : status.classes)
    out.begin_object()
        .key("name")
        .value(one.name)
        .key("running")
        .value(one.running)
        .key("waiting")
        .value(one.waiting)
        .end_object();
  out.end_array().key("workers").begin_array();
  for (const auto& worker : status.workers)
    out.begin_object()
        .key("name")
        .value(worker.name)
        .key("slots")
        .value(worker.slots)
        .key("running")
        .value(worker.running)
        .key("state")
        .value(worker.state)
        .end_object();
  out.end_array();
  write_jobs(out, status.jobs);
  out.end_object();
  return text;
}

}  // namespace weir::cli
