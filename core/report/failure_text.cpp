#include "core/report/failure_text.h"

#include <fmt/format.h>

#include "core/base/shell_word.h"
#include "core/base/text.h"
#include "core/report/log_excerpt.h"
#include "core/report/run_picture.h"
#include "core/report/run_words.h"
#include "core/report/terminal_text.h"
#include "queues/queue.h"

namespace weir {

namespace {

constexpr std::size_t kChanges = 8;

struct ClassText {
  std::string_view failure, what, cure;
};
constexpr ClassText kClasses[] = {
    {"command", "a command failed", "fix the error above and rebuild"},
    {"source", "a source is missing or not what was asked for",
     "fix the cause above; if the source was changed on purpose, run `weir track`"},
    {"timeout", "it ran longer than its timeout",
     "raise `timeout` of the element, or find out what it waits for"},
    {"stall", "it wrote nothing for too long", "raise `stall` of the element, or find out what it waits for"},
    {"oom", "it ran out of memory", "set `memory` of the element, or run fewer at once with -j"},
    {"network", "the network failed", "try again later; what was brought here so far is kept"},
    {"infra", "this machine could not run it", "`weir doctor` tries what weir needs of this machine"},
    {"lost", "nothing was heard of it any more", "build again; `weir doctor` and WEIR_LOG=debug tell more"},
};

// Of class command, although no command failed: dependencies that overlap, outputs that cannot be kept.
constexpr ClassText kFiles = {"command", "its files cannot be used", "fix the cause above and rebuild"};

constexpr ClassText kUntracked = {"source", "a source cannot be tracked",
                                  "correct the source in the project and run `weir track` again"};

// Of a push, this machine is not to blame.
constexpr ClassText kRefusedPush = {
    "infra", "it could not be pushed",
    "check the credentials and permissions for the remote; `weir doctor` tries it"};

const ClassText* class_of(const FailedElement& failure) {
  if (failure.queue == "track" && failure.failure == kUntracked.failure) return &kUntracked;
  if (failure.queue == "push" && failure.failure == kRefusedPush.failure) return &kRefusedPush;
  if (failure.queue != "push" && failure.failure == "command" && failure.command.empty() && !failure.exit)
    return &kFiles;
  for (const auto& one : kClasses)
    if (one.failure == failure.failure) return &one;
  return nullptr;
}

std::string exit_text(std::int64_t exit) {
  constexpr std::int64_t kSignals = 128;
  return exit > kSignals && exit < kSignals + 65 ? fmt::format("signal {}", exit - kSignals)
                                                 : fmt::format("exit code {}", exit);
}

class Block {
 public:
  Block(const FailedElement& failure, const FailureStyle& style) : failure_(failure), style_(style) {}

  StyledLines lines() {
    add(Tone::bad, fmt::format("FAILED    {}", failure_headline(failure_)));
    // Of a command the log says more, unless it was this machine that did; without a job it is in the
    // headline.
    const bool has_reason = failure_.failure != "command" || failure_.command.empty() ||
                            (failure_.exit && failure_.evidence.starts_with(exit_text(*failure_.exit) + ","));
    if (failure_.job && !failure_.evidence.empty() && has_reason)
      field("because", one_line(failure_.evidence));
    if (!failure_.command.empty()) field("command", one_line(command_words(failure_.command)));
    quote_log();
    changes();
    field("to do", failure_cure(failure_));
    if (style_.next_commands) commands();
    return std::move(lines_);
  }

 private:
  void add(Tone tone, std::string text) { lines_.push_back({tone, std::move(text)}); }
  void field(std::string_view name, std::string_view text, Tone tone = Tone::plain) {
    add(tone, fmt::format("  {:<9} {}", name, text));
  }

  void quote_log() {
    if (!failure_.job || style_.tail_lines == 0) return;
    const auto excerpt = read_log_excerpt(log_path(failure_, style_), style_.tail_lines);
    if (excerpt.lines == 0) return field("log", "it wrote nothing");
    if (excerpt.error_line > 0) field("error", excerpt.first_error, Tone::strong);
    if (!excerpt.all())
      field("log",
            excerpt.counted ? fmt::format("the last {} of {} lines", excerpt.tail.size(), excerpt.lines)
                            : fmt::format("the last {} lines", excerpt.tail.size()),
            Tone::faint);
    for (const auto& line : excerpt.tail) add(Tone::plain, fmt::format("          | {}", line));
  }

  void changes() {
    const auto& all = failure_.changes;
    if (all.empty()) return;
    field("changed", failure_.changed_since ? fmt::format("since run {} built it:", failure_.changed_since)
                                            : "since it last was built:");
    for (std::size_t i = 0; i < all.size() && i < kChanges; ++i)
      add(Tone::note, fmt::format("            {}", one_line(all[i])));
    if (all.size() > kChanges) add(Tone::note, fmt::format("            and {} more", all.size() - kChanges));
  }

  void commands() {
    const auto element = shell_word(failure_.element);
    const bool built = failure_.queue == "build", left_files = built && failure_.failure == "command";
    std::vector<std::pair<std::string, std::string_view>> all;
    const auto add_command = [&](std::string_view words, std::string_view what) {
      all.emplace_back(fmt::format("{} {} {}", style_.weir, words, element), what);
    };
    if (failure_.job || built) add_command("log", "all that it wrote");
    if (left_files) add_command("shell --failed", "a shell in what it left");
    if (built) add_command("why", "what is different from before");
    std::size_t widest = 0;
    for (const auto& [command, what] : all) widest = std::max(widest, display_width(command));
    for (const auto& [command, what] : all) field("", fmt::format("{}  {}", pad(command, widest), what));
  }

  const FailedElement& failure_;
  const FailureStyle& style_;
  StyledLines lines_;
};

}  // namespace

std::string failure_headline(const FailedElement& failure) {
  const auto who = fmt::format("{} {}", failure.queue, failure.element);
  if (!failure.job) return fmt::format("{}: {}", who, one_line(failure.evidence));
  const auto* text = class_of(failure);
  const auto exit = failure.exit ? fmt::format(" with {}", exit_text(*failure.exit)) : "";
  return fmt::format("{}: {}{}, after {} ({})", who, text ? text->what : "it failed", exit,
                     format_duration(from_seconds(failure.seconds)), failure.failure);
}

std::string log_path(const FailedElement& failure, const FailureStyle& style) {
  return fmt::format("{}/{}.log", style.log_directory, failure.job.value_or(0));
}

std::string failure_cure(const FailedElement& failure) {
  if (const auto* text = class_of(failure)) return std::string(text->cure);
  if (failure.queue == "push")
    return failure.evidence == to_string(Why::not_built)
               ? fmt::format("run `weir build {}`", failure.element)
               : fmt::format("run `weir build {}`, which runs the queues before push", failure.element);
  return "fix the cause, or rerun with --retry-failed";
}

StyledLines failure_block(const FailedElement& failure, const FailureStyle& style) {
  return Block(failure, style).lines();
}

}  // namespace weir
