// Bytes of a client of a run's socket: lines, requests, and what the run answers; and the same line as a
// client would take it for a reply.
#include "core/control/answer.h"
#include "core/control/line_buffer.h"
#include "core/control/reply.h"
#include "core/control/request.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/fake_run.h"

namespace weir::control {

namespace {

void try_line(std::string_view line, FakeRun& run) {
  (void)parse_reply(line);
  (void)parse_worker_order(line);
  if (const auto request = parse_request(line)) {
    const auto again = parse_request(to_line(*request));
    WEIR_ASSERT(again && to_line(*again) == to_line(*request), "a request changed by writing it");
  } else {
    WEIR_ASSERT(!request.error().error.message.empty(), "refused without a word");
  }
  int answers = 0;
  answer(line, run, [&](std::string reply) {
    ++answers;
    WEIR_ASSERT(reply.find('\n') == reply.npos, "a reply of two lines");
    WEIR_ASSERT(parse_reply(reply).has_value(), "no reply: {}", reply);
  });
  for (auto& done : std::exchange(run.submitted, {}))
    done(fail(Reason::usage, std::string(line.substr(0, 50))));
  WEIR_ASSERT(answers == 1, "{} answers", answers);
}

}  // namespace

WEIR_FUZZ_TARGET(control) {
  fuzz::Choices choices(input);
  const auto how = choices.byte();
  FakeRun run;
  run.submit_later = how & 1;
  if (how & 2) run.answer = fail(Reason::not_found, "no\n\xff such job", "look again");
  constexpr std::size_t kLongest = 2000;
  LineBuffer lines(kLongest);
  std::size_t held = 0;
  const std::size_t piece = (how >> 2) ? how >> 2 : 4096;
  while (!choices.empty()) {
    const auto bytes = choices.bytes(piece);
    lines.append(bytes);
    held += bytes.size();
    while (const auto line = lines.take()) {
      WEIR_ASSERT(line->size() <= kLongest && line->find('\n') == line->npos, "a line of {} bytes",
                  line->size());
      held -= line->size() + 1;
      try_line(*line, run);
    }
    if (lines.too_long()) return;
    WEIR_ASSERT(held <= kLongest && lines.has_begun() == (held > 0), "{} bytes held", held);
  }
}

}  // namespace weir::control
