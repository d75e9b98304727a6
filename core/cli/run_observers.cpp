#include "core/cli/run_observers.h"

#include "core/base/log.h"
#include "core/base/shell_word.h"
#include "core/cli/person.h"
#include "core/exec/hook_command.h"

namespace weir::cli {

namespace {

constexpr auto kHookTimeout = std::chrono::seconds(30);

ReportOptions report_options(const RunRequest& request, const Settings& settings, const RunFolder& folder) {
  ReportOptions options;
  options.color = wants_color(settings);
  options.volume = request.quiet ? Volume::quiet : request.verbose ? Volume::verbose : Volume::normal;
  options.failures.log_directory = folder.logs();
  if (request.directory != ".") options.failures.weir = "weir -C " + shell_word(request.directory);
  return options;
}

void add_hooks(HookRunner& runner, const Hooks& hooks) {
  const auto hook_of = [](const std::string& command) {
    return [command](const std::string& event) {
      if (const auto status = run_hook_command(command, event, kHookTimeout); !status) log_warn("{}", status.error().message);
    };
  };
  for (const auto& command : hooks.on_start) runner.on_start(hook_of(command));
  for (const auto& command : hooks.on_complete) runner.on_complete(hook_of(command));
  for (const auto& command : hooks.on_run_end) runner.on_run_end(hook_of(command));
}

Status open_lines(const std::string& path, std::optional<JsonLines>& lines, Emitter& events) {
  auto file = JsonLines::open(path);
  if (!file) return tl::unexpected(file.error());
  lines = std::move(*file);
  events.add(*lines);
  return {};
}

}  // namespace

RunObservers::RunObservers(const RunRequest& request, const Settings& settings, const RunFolder& folder, const Hooks& hooks,
                           boost::asio::io_context& loop, const Clock& clock) {
  auto options = report_options(request, settings, folder);
  if (wants_display(request, settings)) display_ = std::make_unique<LiveTerminal>(loop, clock, std::move(options));
  else plain_.emplace(stderr, std::move(options));
  add_hooks(hooks_, hooks);
}

Status RunObservers::join(const RunRequest& request, const RunFolder& folder, Emitter& events) {
  if (auto opened = open_lines(folder.events(), kept_, events); !opened) return opened;
  if (request.events)
    if (auto opened = open_lines(*request.events, asked_, events); !opened) return opened;
  if (display_) events.add(*display_);
  if (plain_) events.add(*plain_);
  events.add(hooks_);
  return {};
}

}  // namespace weir::cli
