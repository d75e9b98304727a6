#include "core/build/core_sharing.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace weir {

namespace {

constexpr std::string_view kJobs = "%{jobs}";

bool says_jobs(std::string_view text) { return text.find(kJobs) != text.npos; }

// "GNU Make 4.3", "1.13.1"
bool is_at_least(std::string_view text, std::pair<int, int> wanted) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  };
  const auto number = [&](std::size_t& at) {
    int value = 0;
    for (; digit(at) && value < 10'000; ++at) value = value * 10 + (text[at] - '0');
    return value;
  };
  std::size_t at = 0;
  while (at < text.size() && !digit(at)) ++at;
  if (at == text.size()) return false;
  const int major = number(at);
  const int minor = at < text.size() && text[at] == '.' ? number(++at) : 0;
  return std::pair(major, minor) >= wanted;
}

std::string_view program_of(const RunStep& step) {
  if (step.argv.empty()) return {};
  const std::string_view path = step.argv.front();
  return path.substr(path.rfind('/') + 1);
}

enum class Tool : std::uint8_t { other, make, ninja };

// The generator that the last configuration of the job chose.
std::string_view generator_of(const std::vector<Step>& steps) {
  std::string_view generator;
  for (const auto& step : steps) {
    const auto* run = std::get_if<RunStep>(&step);
    if (!run || program_of(*run) != "cmake") continue;
    for (std::size_t i = 1; i < run->argv.size(); ++i) {
      if (run->argv[i] == "-G" && i + 1 < run->argv.size()) generator = run->argv[i + 1];
      else if (run->argv[i].starts_with("-G")) generator = std::string_view(run->argv[i]).substr(2);
    }
  }
  return generator;
}

Tool tool_of(const RunStep& step, std::string_view generator) {
  const auto program = program_of(step);
  if (program == "make" || program == "gmake") return Tool::make;
  if (program == "ninja") return Tool::ninja;
  const bool builds = program == "cmake" && step.argv.size() > 1 && step.argv[1] == "--build";
  return builds && generator == "Unix Makefiles" ? Tool::make : Tool::other;
}

// "-j%{jobs}", "-j %{jobs}", "--parallel %{jobs}", "--jobs=%{jobs}": true if one was there.
bool leave_out_number(std::vector<std::string>& argv) {
  const auto size = argv.size();
  for (std::size_t i = 1; i < argv.size();) {
    const bool joined = argv[i] == "-j%{jobs}" || argv[i] == "--jobs=%{jobs}";
    const bool apart = i + 1 < argv.size() && argv[i + 1] == kJobs &&
                       (argv[i] == "-j" || argv[i] == "--jobs" || argv[i] == "--parallel");
    const auto at = argv.begin() + static_cast<std::ptrdiff_t>(i);
    if (joined || apart) argv.erase(at, at + (apart ? 2 : 1));
    else ++i;
  }
  return argv.size() != size;
}

struct Shared {
  std::vector<Step> steps;
  bool any = false;                 // a step takes a jobserver and uses all that it gets
  std::vector<std::size_t> serial;  // makes that asked for no number
};

Shared leave_out_numbers(const std::vector<Step>& steps, std::string_view generator, CoreSharing form) {
  Shared shared{steps, false, {}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto* run = std::get_if<RunStep>(&shared.steps[i]);
    const auto tool = run ? tool_of(*run, generator) : Tool::other;
    if (tool == Tool::other || (tool == Tool::ninja && form != CoreSharing::fifo)) continue;
    if (leave_out_number(run->argv)) shared.any = true;
    else if (tool == Tool::make && program_of(*run) != "cmake") shared.serial.push_back(i);
  }
  return shared;
}

// A make that asked for no number runs one command at a time, and so do those below it: `make install` of
// many projects does not bear anything else. Said by a word that make passes on; "-j1" would do it with a
// warning in every log.
void keep_serial(Shared& shared) {
  for (const auto i : shared.serial) {
    auto& argv = std::get<RunStep>(shared.steps[i]).argv;
    argv.insert(argv.begin() + 1, "--eval=.NOTPARALLEL:");
  }
}

struct Uses {
  bool make = false, ninja = false;
};

Uses uses_of(const std::vector<Step>& steps, std::string_view generator) {
  Uses uses;
  for (const auto& step : steps)
    if (const auto* run = std::get_if<RunStep>(&step)) {
      const auto tool = tool_of(*run, generator);
      uses.make |= tool == Tool::make;
      uses.ninja |= tool == Tool::ninja;
    }
  return uses;
}

// A job has one jobserver, of one form.
CoreSharing form_for(const Uses& uses, const CoreTools& tools) {
  const bool ninja_can = uses.ninja && is_at_least(tools.ninja, {1, 13});
  const bool make_can = !uses.make || is_at_least(tools.make, {4, 4});
  return ninja_can && make_can ? CoreSharing::fifo : CoreSharing::pipe;
}

bool any_says_jobs(const std::vector<Step>& steps, const Environment& environment) {
  return std::any_of(environment.begin(), environment.end(),
                     [](const auto& one) { return says_jobs(one.second); }) ||
         std::any_of(steps.begin(), steps.end(), [](const Step& step) {
           const auto* run = std::get_if<RunStep>(&step);
           return run && std::any_of(run->argv.begin(), run->argv.end(), says_jobs);
         });
}

}  // namespace

bool is_kind_that_runs_make(std::string_view kind) {
  return kind == "make" || kind == "autotools" || kind == "cmake";
}

CorePlan plan_cores(const Element::Cores& asked, std::uint32_t there, const CoreTools& tools,
                    std::vector<Step>& steps, const Environment& environment) {
  const auto most_there = there > 0 ? there : std::numeric_limits<std::uint32_t>::max();
  const std::string generator(generator_of(steps));
  const auto form = form_for(uses_of(steps, generator), tools);
  auto shared = leave_out_numbers(steps, generator, form);
  CorePlan plan;
  plan.least = plan.jobs = std::min(asked.least, most_there);
  const bool counts = any_says_jobs(shared.steps, environment);
  const bool grows = !counts && (shared.any || tools.kind_runs_make);
  const auto most = asked.most > 0 ? std::min(asked.most, most_there) : grows ? most_there : 0;
  plan.most = most > plan.least ? most : 0;
  if (!counts && (plan.least > 1 || plan.most > 0)) {
    keep_serial(shared);
    steps = std::move(shared.steps);
    plan.sharing = form;
  } else if (counts && plan.most > 0) {
    plan.sharing = CoreSharing::affinity;
    plan.jobs = plan.most;
  }
  return plan;
}

}  // namespace weir
