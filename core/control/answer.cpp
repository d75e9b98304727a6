#include "core/control/answer.h"

#include <fmt/format.h>

#include "core/base/json_value.h"
#include "core/control/reply.h"

namespace weir::control {

namespace {

// A setting, or one of a group: "tokens", "tokens.process".
const JsonValue* setting(const JsonValue& all, std::string_view name) {
  if (const auto* whole = all.member(name)) return whole;
  const auto dot = name.find('.');
  if (dot == name.npos) return nullptr;
  const auto* group = all.member(name.substr(0, dot));
  return group ? group->member(name.substr(dot + 1)) : nullptr;
}

class Answerer {
 public:
  Answerer(RunControl& run, Answered answered) : run_(run), answered_(std::move(answered)) {}

  void operator()(const request::Status&) { answered_(done_line("status", run_.status())); }
  void operator()(const request::Cancel& asked) { tell(run_.cancel(asked.job), "/job"); }
  void operator()(const request::Suspend& asked) { tell(run_.suspend(asked.job), "/job"); }
  void operator()(const request::Resume& asked) { tell(run_.resume(asked.job), "/job"); }
  void operator()(const request::Submit& asked) {
    run_.submit(asked.requestor, asked.targets,
                [answered = std::move(answered_)](const Result<std::size_t>& taken) {
                  answered(taken ? done_line("targets", std::to_string(*taken))
                                 : refusal_line({taken.error(), "/targets"}));
                });
  }
  void operator()(const request::Get& asked) {
    const auto settings = run_.settings();
    if (asked.name.empty()) return answered_(done_line("settings", settings));
    const auto all = parse_json(settings).value_or(JsonValue{});
    if (const auto* value = setting(all, asked.name)) return answered_(done_line("value", to_json(*value)));
    no_setting(asked.name, all);
  }
  void operator()(const request::Set& asked) {
    const auto all = parse_json(run_.settings()).value_or(JsonValue{});
    if (!setting(all, asked.name)) return no_setting(asked.name, all);
    tell(run_.set(asked.name, asked.json), "/value");
  }
  void operator()(const request::Worker& asked) { tell(run_.worker(asked.name, asked.order), "/name"); }

 private:
  void tell(const Status& status, std::string_view path) {
    answered_(status ? done_line() : refusal_line({status.error(), std::string(path)}));
  }
  void no_setting(std::string_view name, const JsonValue& all) {
    const std::vector<std::string_view> names(all.names.begin(), all.names.end());
    const auto remedy =
        names.empty() ? "this run has no settings that can be changed" : near_or_all(name, names);
    answered_(refusal_line(
        {{Reason::usage, fmt::format("there is no setting \"{}\"", name.substr(0, 60)), remedy}, "/name"}));
  }

  RunControl& run_;
  Answered answered_;
};

}  // namespace

void answer(std::string_view line, RunControl& run, Answered answered) {
  const auto request = parse_request(line);
  if (!request) return answered(refusal_line(request.error()));
  std::visit(Answerer(run, std::move(answered)), *request);
}

}  // namespace weir::control
