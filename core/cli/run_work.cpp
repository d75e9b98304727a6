#include "core/cli/run_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/log.h"
#include "core/base/print.h"
#include "core/build/job_label.h"
#include "core/build/network_environment.h"
#include "core/cli/build_changes.h"
#include "core/cli/exit_codes.h"
#include "core/cli/run_row.h"
#include "core/cli/store_folder.h"
#include "core/cli/tell.h"
#include "queues/track_queue.h"

namespace weir::cli {

namespace {

// Builds, and jobs of plugins, have the folders of an element; those of sources have none of it.
bool brings_sources(const JobSpec& spec) {
  return queue_of(spec) == TrackQueue::kName || queue_of(spec) == FetchQueue::kName;
}

std::string stripped_text(const std::string& element, const std::vector<std::string>& files) {
  constexpr std::size_t kShown = 3;
  const auto shown = std::span(files).first(std::min(files.size(), kShown));
  const auto more = files.size() > kShown ? fmt::format(" and {} more", files.size() - kShown) : "";
  return fmt::format("element {}: setuid, setgid and sticky bits are not kept; {} lost them: {}{}",
                     in_quotes(element), files.size() == 1 ? "1 file" : fmt::format("{} files", files.size()),
                     fmt::join(shown, ", "), more);
}

JobFolders::Places places_of(const RunWork::Parts& parts) {
  return {[&folder = parts.folder](const std::string& element) { return folder.work(element); },
          [&opened = parts.opened](const std::string& element) { return opened.bare_folder(element); },
          parts.opened.project().prefix,
          [&folder = parts.folder](const std::string& element) { folder.forget_failed(element); },
          [&project = parts.opened.project()](const std::string& element) {
            return overlaps_of(project, element);
          },
          parts.folder.spares(),
          [post = parts.doors.post, warn = parts.warn](const std::string& element,
                                                       const std::vector<std::string>& files) {
            post([warn, text = stripped_text(element, files)] { warn(text); });
          }};
}

int report_differences(const StoreBuild& build, const BuildPlan& plan) {
  for (const auto& difference : build.differences())
    weir::print(stderr, "weir: {} is not reproducible: {} became {}\n", plan.name(difference.element),
                difference.before.hex().substr(0, 16), difference.now.hex().substr(0, 16));
  return build.differences().empty() ? kDone : kJobFailed;
}

}  // namespace

RunWork::RunWork(const Parts& parts)
    : parts_(parts),
      failures_(parts.opened.failures()),
      sources_(*parts.planned.plan, parts.store, parts.arenas, parts.doors, network_environment()),
      build_(*parts.planned.plan, parts.store, failures_, parts.arenas, parts.doors, parts.mode),
      notes_(parts.folder.number()),
      folders_(parts.store, places_of(parts)),
      source_folders_(parts.store, places_of(parts).work, source_cache(parts.opened.values()),
                      [this](const std::string& element, std::size_t output, const TrackAnswer& answer) {
                        return sources_.ref_in(element, output, answer);
                      }),
      remotes_(*parts.planned.plan, build_, parts.remotes, parts.asking, parts.push),
      plugin_queues_(
          {*parts.planned.plan, build_, parts.store, *parts.planned.host, parts.arenas, parts.doors},
          parts.opened.queues, parts.needs.plugin_queues(), build_) {
  sources_.tell_diagnostics_by([this](const Diagnostics& diagnostics) {
    return to_text(to_error(diagnostics, parts_.opened.loaded.files));
  });
  build_.on_seen([this](ElementId element, const SeenArtifact& seen) {
    const auto& own = parts_.planned.plan->element(element);
    notes_.add(own.name, seen, variables_of(parts_.opened.project(), own));
  });
  build_.on_failed(
      [this](ElementId element, const store::Digest& recipe) { explain_failure(element, recipe); });
}

void RunWork::explain_failure(ElementId element, const store::Digest& recipe) {
  if (!last_) last_ = LastBuilt::load(parts_.opened.folder());
  const auto changes = changes_since_built(*parts_.planned.plan, parts_.store, *last_, element, recipe);
  if (!changes.lines.empty())
    parts_.tell_changes(parts_.planned.plan->name(element), changes.since, changes.lines);
}

Result<Row> RunWork::make_row(const RunRequest& request) {
  const auto rule =
      request.work == Work::fetch ? FetchQueue::Rule::even_if_cached : FetchQueue::Rule::only_to_build;
  const auto names = queues_of(request, parts_.opened.project());
  if (std::find(names.begin(), names.end(), PushQueue::kName) != names.end())
    plugin_queues_.guard_push(
        [this](ElementId element) { return remotes_.can_push(element) && !remotes_.remote_has(element); });
  const auto make_plugin_queue = [this](std::string_view name, PluginQueue::Place place) {
    return plugin_queues_.make(name, place);
  };
  const auto& needs = parts_.needs;
  const auto pull_rule = request.work == Work::pull ? PullQueue::Rule::must : PullQueue::Rule::if_possible;
  if (request.work == Work::push)
    for (const auto& [queue, place] : push_gates_of(parts_.opened.project()))
      plugin_queues_.add_gate(queue, place);
  return weir::make_row(
      names, {sources_, build_, remotes_, needs.download(), needs.build(), needs.upload(), needs.pull(),
              pull_rule, rule, make_plugin_queue, &plugin_queues_, &plugin_queues_,
              request.work == Work::push ? ids_of(parts_.planned) : std::vector<ElementId>()});
}

LocalExecutorOptions RunWork::executor_options() {
  LocalExecutorOptions options;
  options.directory = [this](JobId, const JobSpec& spec, std::string_view root) {
    return brings_sources(spec) ? source_folders_.directory(spec, root) : folders_.directory(spec, root);
  };
  options.stage = [this](JobId job, const JobSpec& spec) {
    return brings_sources(spec) ? source_folders_.stage(spec) : folders_.stage(job, spec);
  };
  options.collect = [this](JobId job, const JobSpec& spec, const std::string& log) {
    return brings_sources(spec) ? source_folders_.collect(spec, log) : folders_.collect(job, spec, log);
  };
  options.check_inputs = [this](JobId job, const JobSpec& spec) {
    return brings_sources(spec) ? Status{} : folders_.check_dependencies(job);
  };
  options.stages_little = [this](const JobSpec& spec) {
    return !brings_sources(spec) && folders_.stages_little(spec);
  };
  options.collect_little = [this](JobId job, const JobSpec& spec, const std::string& log) {
    return brings_sources(spec) ? std::nullopt : folders_.collect_little(job, spec, log);
  };
  options.log_directory = parts_.folder.logs();
  options.served = {parts_.folder.all_work(), store_folder(parts_.opened.values()) + "/stage"};
  return options;
}

void RunWork::prepare(const RunRequest& request, std::span<const ElementId> wanted) {
  if (request.track || request.work == Work::track) {
    parts_.planned.plan->forget_keys();
    const auto all = parts_.planned.plan->planned_elements();
    for (const auto element : request.work == Work::track ? wanted : std::span<const ElementId>(all))
      sources_.track(element);
  }
  if (request.work == Work::test) {
    plugin_queues_.only(wanted);
    if (request.force) plugin_queues_.force();
  } else if (request.force) {
    for (const auto target : wanted) build_.force(target);
  }
  if (request.retry_failed) build_.retry_failed();
}

void RunWork::know(const FoundSnapshot& found, const OpenedPart& part) {
  for (const auto element : part.planned->plan->planned_elements()) {
    const auto& member = part.member(element);
    const auto& row = found.snapshot.elements()[member.row];
    if (!member.reached) build_.know(element, row.output, row.kept_as);
  }
}

snapshot::Outcome RunWork::outcome(ElementId element, bool arrived) const {
  if (!build_.has_output(element)) return {};
  return {arrived, build_.output(element), build_.kept_as(element)};
}

Status RunWork::keep_all() {
  const std::array all = {plugin_queues_.finish(), sources_.finish(), build_.finish()};
  const auto trouble = std::find_if(all.begin(), all.end(), [](const Status& kept) { return !kept; });
  all_kept_ = trouble == all.end();
  return all_kept_ ? Status() : *trouble;
}

int RunWork::finish(int exit) {
  for (const auto& element : build_.built_with_damage())
    weir::print(stderr, "weir: {} failed with damaged files of the cache, which were dropped\n", element);
  // What cannot be written costs an answer of `weir why`, nothing else.
  if (const auto saved = notes_.save(parts_.opened.folder()); !saved) log_warn("{}", saved.error().message);
  return exit == kDone ? report_differences(build_, *parts_.planned.plan) : exit;
}

}  // namespace weir::cli
