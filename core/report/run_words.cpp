#include "core/report/run_words.h"

#include <algorithm>
#include <span>

#include "core/base/shell_word.h"
#include "core/report/run_picture.h"

namespace weir {

std::string_view to_string(RunStand stand) {
  return stand == RunStand::over ? "over" : stand == RunStand::running ? "running" : "killed";
}

std::string_view result_word(const RecordedJob& job, RunStand stand) {
  if (!job.result.empty()) return job.result;
  return stand == RunStand::running ? "running" : "lost";
}

std::string command_words(const std::vector<std::string>& argv) {
  if (argv.empty()) return "weir";
  const bool shell =
      argv.size() >= 3 && (argv[0] == "sh" || argv[0] == "/bin/sh") && argv[argv.size() - 2].ends_with('c');
  if (shell) return argv.back();
  std::span<const std::string> words = argv;
  // sh -c PROGRAM NAME ARGUMENT..: the program is the plugin's own, and its name stands for it.
  if (argv.size() > 3 && argv[0] == "sh" && argv[1] == "-c") words = words.subspan(3);
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

std::vector<std::pair<Duration, Duration>> step_spans(const RecordedJob& job) {
  std::vector<std::pair<Duration, Duration>> spans(job.steps.size());
  auto end = job.end;
  for (auto i = spans.size(); i-- > 0;) {
    spans[i] = {std::max(job.start, end - from_seconds(std::max(0.0, job.steps[i].seconds))), end};
    end = spans[i].first;
  }
  return spans;
}

}  // namespace weir
