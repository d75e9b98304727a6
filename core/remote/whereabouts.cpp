#include "core/remote/whereabouts.h"

#include <system_error>
#include <thread>

#include "core/remote/exchange.h"

namespace weir {

namespace {

constexpr std::size_t kKeysPerQuestion = 500;

Whereabouts ask(RemoteLine& line, const std::vector<RemoteName>& keys, const Clock& clock) {
  Whereabouts answer{line.shown(), {}, line.why_not()};
  if (!line.usable(RemoteLine::Direction::read)) return answer;
  const auto begin = clock.now();
  Exchange exchange(line, {});
  for (std::size_t from = 0; from < keys.size(); from += kKeysPerQuestion) {
    const auto to = std::min(keys.size(), from + kKeysPerQuestion);
    const auto end = exchange.run(
        {RemoteAction::has_record,
         {keys.begin() + static_cast<std::ptrdiff_t>(from), keys.begin() + static_cast<std::ptrdiff_t>(to)}});
    if (end.outcome != RemoteOutcome::done) {
      answer.reason = line.why_not().empty() ? end.message : line.why_not();
      answer.there.clear();
      return answer;
    }
    for (std::size_t i = 0; i < to - from; ++i) answer.there.push_back(i < end.there.size() && end.there[i]);
  }
  answer.took = clock.now() - begin;
  return answer;
}

}  // namespace

std::vector<Whereabouts> find_records(std::span<RemoteLine* const> lines, const std::vector<RemoteName>& keys,
                                      const Clock& clock) {
  std::vector<Whereabouts> answers(lines.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto work = [&, i] { answers[i] = ask(*lines[i], keys, clock); };
    try {
      threads.emplace_back(work);
    } catch (const std::system_error&) {
      work();  // a limit on threads: one after the other
    }
  }
  threads.clear();
  return answers;
}

}  // namespace weir
