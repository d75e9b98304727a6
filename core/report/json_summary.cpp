#include "core/report/json_summary.h"

#include "core/base/json_writer.h"
#include "core/report/failure_text.h"

namespace weir {

namespace {

void write_failure(JsonWriter& json, const FailedElement& failure, const FailureStyle& style) {
  json.begin_object().key("element").value(failure.element).key("queue").value(failure.queue);
  if (!failure.failure.empty()) json.key("failure").value(failure.failure);
  if (failure.exit) json.key("exit").value(*failure.exit);
  if (!failure.evidence.empty()) json.key("evidence").value(failure.evidence);
  if (failure.job) json.key("seconds").value(failure.seconds).key("log").value(log_path(failure, style));
  json.end_object();
}

}  // namespace

void JsonSummary::on_event(const Event& event) {
  failures_.on_event(event);
  totals_.on_event(event);
  const auto* start = event.as<event::RunStart>();
  if (!start) return;
  run_ = start->run;
  project_ = start->project.text;
}

std::string JsonSummary::text() const {
  std::string text;
  JsonWriter json(text);
  const int exit = exit_.value_or(totals_.exit());
  json.begin_object().key("v").value(1).key("project").value(project_).key("run").value(run_);
  json.key("result")
      .value(exit == totals_.exit() ? totals_.result() : "failed")
      .key("exit")
      .value(exit)
      .key("seconds")
      .value(totals_.seconds());
  json.key("critical_path").value(totals_.critical_path()).key("efficiency").value(totals_.efficiency());
  json.key("counts").begin_object();
  for (const auto& [count, what] : totals_.all_counts()) json.key(what).value(count);
  json.end_object().key("failed").begin_array();
  FailureStyle style;
  style.log_directory = log_directory_;
  for (const auto& failure : failures_.all()) write_failure(json, failure, style);
  json.end_array().key("not_started").begin_array();
  for (const auto& lost : failures_.not_started()) {
    json.begin_object().key("count").value(lost.count).key("reason").value(lost.reason);
    if (!lost.because.empty()) json.key("because").value(lost.because);
    json.key("elements").begin_array();
    for (const auto& name : lost.names) json.value(name);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return text;
}

}  // namespace weir
