// Whether a trace is one that its readers can draw, by the rules of the Chrome trace event format and those
// of weir: written without a look at what writes it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace weir {

struct TraceFacts {
  std::vector<std::string> problems;
  std::size_t jobs = 0, steps = 0, failures = 0, counters = 0, critical_jobs = 0, workers = 0;
  double critical_seconds = 0, critical_path = 0;
  std::string stand;
};

class TraceCheck {
 public:
  TraceFacts check(const std::string& text) {
    const auto trace = nlohmann::json::parse(text, nullptr, false);
    if (!trace.is_object() || !trace.contains("traceEvents")) return problem("no trace"), facts_;
    for (const auto& event : trace["traceEvents"]) one(event);
    for (auto& [track, spans] : tracks_) nesting(track, spans);
    for (const auto& [track, spans] : tracks_)
      if (!named_.contains(track))
        problem(fmt::format("track {} of process {} has no name", track.second, track.first));
    for (const auto& [name, value] : counters_)
      if (value.second != 0) problem(name + " is not given back at the end");
    const auto& other = trace["otherData"];
    facts_.critical_path = other.value("critical_path", 0.0);
    facts_.stand = other.value("stand", "");
    return facts_;
  }

 private:
  using Track = std::pair<long, long>;
  struct Span {
    long begin, end;
    bool step;
  };

  void problem(std::string text) { facts_.problems.push_back(std::move(text)); }

  void one(const nlohmann::json& event) {
    const std::string phase = event.at("ph");
    const Track track{event.at("pid"), event.at("tid")};
    const long time = event.at("ts");
    if (time < 0) problem("a time before the start: " + event.dump());
    if (phase == "M") return metadata(event, track);
    if (phase == "C") return counter(event, time);
    if (phase == "i") facts_.failures += event.at("name").get<std::string>().starts_with("failed:");
    if (phase == "B" || phase == "E") problem("begin and end apart from each other: " + event.dump());
    if (phase != "X") return;
    const long length = event.at("dur");
    if (length < 0) problem("ends before it begins: " + event.dump());
    const std::string category = event.at("cat");
    tracks_[track].push_back({time, time + length, category == "step"});
    facts_.steps += category == "step";
    if (category == "step" || category == "critical") return;
    ++facts_.jobs;
    if (!event["args"].at("critical").get<bool>()) return;
    ++facts_.critical_jobs;
    facts_.critical_seconds += event["args"].at("seconds").get<double>();
  }

  void metadata(const nlohmann::json& event, Track track) {
    if (event.at("name") == "thread_name" && !named_.insert(track).second) problem("a track has two names");
    facts_.workers +=
        event.at("name") == "process_name" && event["args"]["name"].get<std::string>().starts_with("worker ");
  }

  void counter(const nlohmann::json& event, long time) {
    ++facts_.counters;
    const long value = event.at("args").at("in use");
    auto& [last, now] = counters_[event.at("name")];
    if (value < 0) problem("fewer than none in use: " + event.dump());
    if (time < last) problem("a counter goes back in time: " + event.dump());
    last = time;
    now = value;
  }

  // In the order in which they stand: a job, then its steps inside of it, then a job that does not begin
  // before it ends.
  void nesting(Track track, const std::vector<Span>& spans) {
    const auto where = fmt::format("track {} of process {}: ", track.second, track.first);
    Span job{0, 0, false};
    long free = 0;
    for (const auto& span : spans) {
      if (span.begin < free) problem(fmt::format("{}{} begins before {}", where, span.begin, free));
      if (span.step && (span.begin < job.begin || span.end > job.end))
        problem(fmt::format("{}a step at {} is not inside of its job", where, span.begin));
      if (!span.step) job = span;
      free = span.step ? span.end : span.begin;
      if (!span.step) {
        if (span.begin < last_end_[track]) problem(fmt::format("{}jobs overlap at {}", where, span.begin));
        last_end_[track] = span.end;
      }
    }
  }

  TraceFacts facts_;
  std::map<Track, std::vector<Span>> tracks_;
  std::map<Track, long> last_end_;
  std::set<Track> named_;
  std::map<std::string, std::pair<long, long>> counters_;
};

inline TraceFacts check_trace(const std::string& text) { return TraceCheck().check(text); }

}  // namespace weir
