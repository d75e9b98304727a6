#include "core/cli/run_observers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "core/base/log.h"
#include "core/base/print.h"
#include "core/cli/exit_codes.h"
#include "core/cli/tell.h"
#include "core/exec/hook_command.h"

namespace weir::cli {

namespace {

constexpr auto kHookTimeout = std::chrono::seconds(30);

void add_hooks(HookRunner& runner, const Project& project) {
  const auto& hooks = project.hooks;
  const auto hook_of = [&](const PlacedText& hook) {
    return [command = hook.text, directory = project.root](const std::string& event) {
      if (const auto status = run_hook_command(command, directory, event, kHookTimeout); !status)
        log_warn("{}", status.error().message);
    };
  };
  for (const auto& command : hooks.on_start) runner.on_start(hook_of(command));
  for (const auto& command : hooks.on_complete) runner.on_complete(hook_of(command));
  for (const auto& command : hooks.on_run_end) runner.on_run_end(hook_of(command));
}

Status open_lines(const std::string& path, JsonLines::Existing existing, boost::asio::io_context& loop,
                  std::optional<JsonLines>& lines, Emitter& events) {
  auto file = JsonLines::open(path, existing);
  if (!file) return tl::unexpected(file.error());
  lines.emplace(std::move(*file)).write_by_turn([&loop](std::function<void()> call) {
    boost::asio::post(loop, std::move(call));
  });
  events.add(*lines);
  return {};
}

// What could not be written is no success, whatever the run did.
int written_exit(const Status& written, int exit) {
  if (written) return exit;
  const int told = tell(written.error());
  return exit == kDone ? told : exit;
}

}  // namespace

RunObservers::RunObservers(const RunReportParts& parts) : loop_(parts.loop), report_(make_run_report(parts)) {
  if (report_.timed) timer_.emplace(parts.loop, parts.clock, *report_.timed);
  if (parts.request.junit)
    junit_.emplace(JunitOptions{report_options(parts).failures, std::chrono::system_clock::now()});
  if (parts.request.json) json_.emplace(parts.folder.logs());
  add_hooks(hooks_, parts.opened.project());
}

Status RunObservers::join(const RunRequest& request, const RunFolder& folder, Emitter& events) {
  if (json_ && request.events == "-")
    return fail(Reason::usage, "--json and --events - both write to standard output", "give --events a file");
  using Existing = JsonLines::Existing;
  if (auto opened = open_lines(folder.events(), Existing::none, loop_, kept_, events); !opened) return opened;
  const auto existing = request.is_repeated ? Existing::append : Existing::replace;
  if (request.events)
    if (auto opened = open_lines(*request.events, existing, loop_, asked_, events); !opened) return opened;
  for (const auto& observer : report_.observers) events.add(*observer);
  if (timer_) events.add(*timer_);  // behind its report
  if (junit_) events.add(*junit_);
  if (json_) events.add(*json_);
  events.add(hooks_);
  return {};
}

int RunObservers::finish(const RunRequest& request, int exit, Documents documents) {
  for (auto* lines : {&kept_, &asked_}) {
    if (!*lines) continue;
    (*lines)->flush();
    exit = written_exit((*lines)->written(), exit);
  }
  if (documents == Documents::omit) return exit;
  if (junit_) {
    junit_->exits(exit);
    exit = written_exit(junit_->write_file(*request.junit), exit);
  }
  if (json_) {
    json_->exits(exit);
    weir::print("{}\n", json_->text());
  }
  return exit;
}

}  // namespace weir::cli
