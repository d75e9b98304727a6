#include "core/cli/run_history.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace weir::cli {

namespace {

using nlohmann::json;

std::string text_of(const json& event, const char* key) {
  const auto at = event.find(key);
  return at != event.end() && at->is_string() ? at->get<std::string>() : std::string();
}

template <class Number>
Number number_of(const json& event, const char* key) {
  const auto at = event.find(key);
  return at != event.end() && at->is_number() ? at->get<Number>() : Number{};
}

class JobReader {
 public:
  void read(const std::string& line) {
    // Most events of a large run are of other kinds; a quote inside of a string is escaped, so this finds names alone.
    if (line.find("\"ev\":\"job.start\"") == line.npos && line.find("\"ev\":\"job.end\"") == line.npos) return;
    const auto event = json::parse(line, nullptr, false);
    if (event.is_object()) take(event);
  }

  std::vector<PastJob> finish() {
    std::map<std::pair<std::string_view, std::string_view>, PastJob*> last;
    for (auto& job : jobs_) {
      auto& before = last[{job.element, job.queue}];
      if (before) before->tried_again = true;
      before = &job;
    }
    return std::move(jobs_);
  }

 private:
  void take(const json& event) {
    const auto id = event.find("job");
    if (id == event.end() || !id->is_number_unsigned()) return;
    auto& job = job_of(id->get<std::uint64_t>());
    job.element = text_of(event, "element");
    job.queue = text_of(event, "queue");
    if (text_of(event, "ev") == "job.start") job.key = text_of(event, "key");
    if (text_of(event, "ev") != "job.end") return;
    job.result = text_of(event, "result");
    job.failure = text_of(event, "failure");
    const auto exit = event.find("exit"), seconds = event.find("seconds");
    if (exit != event.end() && exit->is_number_integer()) job.exit = exit->get<std::int64_t>();
    if (seconds != event.end() && seconds->is_number()) job.seconds = seconds->get<double>();
  }

  PastJob& job_of(std::uint64_t id) {
    const auto [at, fresh] = places_.emplace(id, jobs_.size());
    if (fresh) jobs_.push_back({.id = id});
    return jobs_[at->second];
  }

  std::vector<PastJob> jobs_;
  std::map<std::uint64_t, std::size_t> places_;
};

}  // namespace

RunLine read_run(const std::string& events_file) {
  RunLine run;
  std::ifstream file(events_file, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const bool start = line.find("\"ev\":\"run.start\"") != line.npos;
    if (!start && line.find("\"ev\":\"run.end\"") == line.npos) continue;
    const auto event = json::parse(line, nullptr, false);
    if (!event.is_object()) continue;
    if (start) {
      run.start = text_of(event, "t");
      for (const auto& word : event.value("args", json::array()))
        if (word.is_string()) run.arguments.push_back(word.get<std::string>());
    } else {
      run.result = text_of(event, "result");
      run.exit = number_of<std::int64_t>(event, "exit");
      run.seconds = number_of<double>(event, "seconds");
      run.built = number_of<std::uint64_t>(event, "built");
      run.cached = number_of<std::uint64_t>(event, "cached");
      run.pulled = number_of<std::uint64_t>(event, "pulled");
      run.pushed = number_of<std::uint64_t>(event, "pushed");
      run.failed = number_of<std::uint64_t>(event, "failed");
    }
  }
  return run;
}

std::vector<PastJob> read_jobs(const std::string& events_file) {
  JobReader reader;
  std::ifstream file(events_file, std::ios::binary);
  for (std::string line; std::getline(file, line);) reader.read(line);
  return reader.finish();
}

}  // namespace weir::cli
