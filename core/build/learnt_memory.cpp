#include "core/build/learnt_memory.h"

#include <algorithm>
#include <bit>

#include "core/base/median.h"

namespace weir {

namespace {

// Eight steps between a number and twice it: jobs with about the same need ask for the same, since the
// scheduler keeps a line for each distinct need. Costs an eighth at most.
std::uint64_t stepped(std::uint64_t bytes) {
  const auto width = std::bit_width(bytes);
  if (width <= 4) return bytes;
  const auto step = std::uint64_t{1} << (width - 4);
  return (bytes + step - 1) / step * step;
}

}  // namespace

// Elements and peaks are both in order of names.
LearntMemory::LearntMemory(const MemoryPeaks& peaks, const Project& project, Machine machine)
    : machine_(machine), project_(&project) {
  if (peaks.empty() || machine_.memory == 0) return;
  known_.resize(project.elements.size());
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> by_kind;
  auto at = peaks.elements().begin();
  for (std::size_t i = 0; i < project.elements.size(); ++i) {
    const auto& element = project.elements[i];
    while (at != peaks.elements().end() && at->name < element.name) ++at;
    if (at == peaks.elements().end()) break;
    if (at->name != element.name) continue;
    const auto most = at->peak.most(), killed = at->peak.killed_bytes();
    if (killed) kinds_[element.kind.text].was_killed = true;
    if (most) by_kind[element.kind.text].push_back(most);
    const auto raised = std::max(most, killed + killed / 2);
    known_[i] = most ? raised : std::max(raised, more_than_half());
  }
  for (auto& [kind, values] : by_kind) kinds_[kind].median = weir::median(std::move(values));
}

// A sixteenth above what was seen, for what differs from run to run. What is small is all the same: an eighth
// of the share of a job, 64 MiB at most.
std::uint64_t LearntMemory::rounded(std::uint64_t bytes) const {
  constexpr std::uint64_t kSmall = 64 * 1024 * 1024;
  const auto least = std::min(kSmall, machine_.memory / (8 * machine_.jobs));
  return std::clamp(stepped(bytes + bytes / 16), std::max<std::uint64_t>(1, least), machine_.memory);
}

std::uint64_t LearntMemory::guess(const Kind& kind) const {
  if (kind.was_killed) return std::min(more_than_half(), machine_.memory);
  return std::min(rounded(kind.median), std::max<std::uint64_t>(1, machine_.memory / machine_.jobs));
}

std::uint64_t LearntMemory::need(ElementIndex element) const {
  if (known_.empty()) return 0;
  if (const auto known = known_[index(element)]) return rounded(known);
  const auto kind = kinds_.find(project_->elements[index(element)].kind.text);
  return kind == kinds_.end() ? 0 : guess(kind->second);
}

}  // namespace weir
