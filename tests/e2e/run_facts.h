// What a run did, read from its events.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/e2e/weir_process.h"

namespace weir::test {

// The value of a text field in a line of JSON.
inline std::string field(const std::string& line, const std::string& name) {
  const auto at = line.find("\"" + name + "\":\"");
  if (at == line.npos) return {};
  const auto begin = at + name.size() + 4;
  return line.substr(begin, line.find('"', begin) - begin);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

// "build app, test app": the jobs of all events of that name, and with that result if one is given; sorted.
inline std::string jobs_with(const Finished& finished, const std::string& event,
                             const std::string& result = {}) {
  std::set<std::string> jobs;
  for (const auto& line : lines_of(finished.out))
    if (field(line, "ev") == event && (result.empty() || field(line, "result") == result))
      jobs.insert(field(line, "queue") + " " + field(line, "element"));
  std::string all;
  for (const auto& job : jobs) all += (all.empty() ? "" : ", ") + job;
  return all;
}

struct RunFacts {
  Finished finished;
  std::string built;   // elements whose build ran, in order of names, with spaces between
  std::string failed;  // elements that ended a job with a failure
};

inline RunFacts facts_of(Finished finished) {
  RunFacts facts;
  std::vector<std::string> built, failed;
  for (const auto& line : lines_of(finished.out)) {
    if (field(line, "ev") == "job.start" && field(line, "queue") == "build")
      built.push_back(field(line, "element"));
    if (field(line, "ev") == "job.end" && field(line, "result") == "failed")
      failed.push_back(field(line, "element"));
  }
  const auto join = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  };
  facts.built = join(std::move(built));
  facts.failed = join(std::move(failed));
  facts.finished = std::move(finished);
  return facts;
}

inline RunFacts build(const TempProject& project, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"-q", "build", "--events", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return facts_of(weir(project, std::move(arguments)));
}

// By element: the values of one text field of weir show --json ("key", "state", "output").
inline std::string shown(const TempProject& project, const std::string& element, const std::string& name,
                         std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"show", "--json", "--deps", "none", element};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto result = weir(project, std::move(arguments));
  return result.exit == 0 ? field(result.out, name)
                          : "exit " + std::to_string(result.exit) + ": " + result.err;
}

}  // namespace weir::test
