#include "core/build/queue_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/json_writer.h"
#include "core/base/log.h"
#include "core/build/bare_lock.h"
#include "core/build/plan_document.h"

namespace weir {

namespace {

// Such a failure says something of what the job worked on, others only of this machine and its network.
bool is_of_the_job(Failure failure) {
  return failure != Failure::network && failure != Failure::infra && failure != Failure::lost;
}

// Raised when the meaning of the document changes.
constexpr int kQueueFormat = 4;

}  // namespace

std::string element_document(const BuildPlan& plan, ElementId element) {
  const auto& own = plan.element(element);
  const auto& resolved = plan.resolved(element);
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .key("config")
      .raw(resolved.config)
      .key("cpu")
      .value(own.cpu.least)
      .key("kind")
      .value(own.kind.text);
  json.key("later").raw(resolved.later).key("name").value(own.name);
  json.key("public").raw(own.published.empty() ? "{}" : to_json(own.published)).end_object();
  return text;
}

QueueRuns::QueueRuns(Parts parts, ResolvedQueue queue, PluginQueue::Place place)
    : parts_(std::move(parts)),
      queue_(std::move(queue)),
      place_(place),
      states_(parts_.plan.graph().graph.size()),
      alive_(std::make_shared<QueueRuns*>(this)),
      batch_(
          parts_.arenas, parts_.doors, [this](Question& question) { answer(question); },
          [this](Question question) { take(std::move(question)); }) {
  // Asking a tool takes a process; from here on all is the loop's.
  for (const auto& tool : queue_.kind->host_tools()) tools_.emplace_back(tool, parts_.host.version_of(tool));
}

Verdict QueueRuns::opinion(ElementId element) {
  auto& known = of(element).opinion;
  if (!known) known = ask_opinion(element);
  return *known;
}

Verdict QueueRuns::fault(const Error& error) {
  auto verdict = Verdict::never(Why::plugin_fault);
  verdict.words = kept_words(to_text(error));
  return verdict;
}

Verdict QueueRuns::ask_opinion(ElementId element) {
  if (only_ && !only_->contains(element)) return Verdict::skip(Why::not_asked_for);
  const auto document = element_document(parts_.plan, element);
  auto told = queue_.kind->classify({queue_.config, document});
  if (!told) return fault(told.error());
  if (told->is == QueueOpinion::Is::ready) return Verdict::ready();
  auto verdict =
      told->is == QueueOpinion::Is::skip ? Verdict::skip(Why::plugin) : Verdict::never(Why::plugin);
  if (!told->reason.empty()) verdict.words = kept_words(std::move(told->reason));
  return verdict;
}

Result<ElementPlan> QueueRuns::element_plan(ElementId element) const {
  const auto document = element_document(parts_.plan, element);
  const auto layout = parts_.plan.layout(element, queue_.name);
  return queue_.kind->plan({queue_.config, document}, {parts_.plan.project().prefix, layout.install});
}

// What a job behind `build` has beside what the artifact was built with. By recipes, which are known although
// their artifacts may not be here.
std::vector<std::string> QueueRuns::used_at_run_time(ElementId element) const {
  std::vector<std::string> keys;
  const auto built_with = parts_.plan.staged(element);
  for (const auto used : parts_.plan.runtime_closure(element))
    if (used != element && std::find(built_with.begin(), built_with.end(), used) == built_with.end())
      keys.push_back(parts_.plan.recipe_key(used).hex());
  std::sort(keys.begin(), keys.end());
  return keys;
}

// All that decides on what a job of the queue does and on what its end means: `on_result` reads the
// configuration and the element, too. The key of an artifact holds its sources and what it was built with.
std::string QueueRuns::document_of(ElementId element, const ElementPlan& plan) const {
  const bool built = place_ == PluginQueue::Place::behind_build;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("artifact")
      .value(built ? parts_.build.kept_as(element).hex() : parts_.plan.recipe_key(element).hex());
  json.key("config").raw(queue_.config);
  json.key("element").raw(element_document(parts_.plan, element));
  json.key("env").begin_object();
  for (const auto& [name, value] : plan.environment) json.key(name).value(value);
  json.end_object();
  json.key("format").value(kQueueFormat);
  json.key("host").begin_object();
  for (const auto& [tool, version] : tools_) json.key(tool).value(version);
  json.end_object();
  json.key("output").value(built ? parts_.build.output(element).text() : "");
  json.key("plugin").value(queue_.kind->plugin()).key("queue").value(queue_.name);
  write_steps(json.key("steps"), plan.steps);
  json.key("uses").begin_array();
  if (built)
    for (const auto& key : used_at_run_time(element)) json.value(key);
  json.end_array();
  json.key("version").value(queue_.kind->version());
  json.end_object();
  return text;
}

Answer QueueRuns::done(ElementId element) {
  auto& state = of(element);
  switch (state.phase) {
    case Phase::done: return Answer::yes;
    case Phase::mine: return Answer::no;
    case Phase::locked: return Answer::locked;
    case Phase::looking: return Answer::later;
    case Phase::unknown: break;
  }
  state.phase = Phase::looking;
  batch_.ask(question_of(element));
  return Answer::later;
}

// Without a plan there is no key, and nothing to look for: the job says what is wrong.
QueueRuns::Question QueueRuns::question_of(ElementId element) const {
  Question question{.element = element};
  const auto plan = element_plan(element);
  if (!plan) {
    question.obstacle = plan.error();
    return question;
  }
  question.document = document_of(element, *plan);
  question.key = store::Key::of(question.document);
  const bool bare = parts_.plan.sandbox() == SandboxRoot::none;
  question.lock_key = bare ? bare_lock(parts_.plan.layout(element, queue_.name)) : question.key;
  return question;
}

// In an arena: nothing of the loop's is touched.
void QueueRuns::answer(Question& question) const {
  if (question.obstacle) return;
  if (!question.lock && !only_looks_) {
    auto got = parts_.store.try_lock(question.lock_key);
    if (!got) question.trouble = got.error();
    else if (*got) question.lock = std::make_shared<store::KeyLock>(std::move(**got));
  }
  const auto found = parts_.store.lookup(question.key);
  if (!found) question.trouble = found.error();
  question.found = found && *found;
  if ((question.found && !forced_) || only_looks_) return;
  const auto put = parts_.store.put_blob(question.document);
  if (put) question.document_digest = *put;
  else question.obstacle = put.error();
}

void QueueRuns::take(Question question) {
  auto& state = of(question.element);
  state.key = question.key;
  state.document = question.document_digest;
  state.was_kept = question.found;
  if (question.found && !forced_) {
    state.phase = Phase::done;
  } else if (question.lock || question.trouble || question.obstacle || only_looks_) {
    if (question.trouble)
      log_warn("asking the store for {} of {}: {}", queue_.name, parts_.plan.name(question.element),
               question.trouble->message);
    state.obstacle = std::move(question.obstacle);
    state.lock = std::move(question.lock);
    state.phase = Phase::mine;
  } else {
    state.phase = Phase::locked;
    wait_for_lock(question.element);
  }
}

void QueueRuns::wait_for_lock(ElementId element) {
  auto asked = question_of(element);
  of(element).wait = parts_.store.lock(
      asked.lock_key, [this, asked, weak = std::weak_ptr(alive_)](Result<store::KeyLock> got) {
        auto question = asked;
        if (got) question.lock = std::make_shared<store::KeyLock>(std::move(*got));
        parts_.doors.post([question, weak] {
          if (const auto self = weak.lock()) (*self)->batch_.ask(question);
        });
      });
}

PlannedJob QueueRuns::plan(ElementId element) const {
  if (const auto& obstacle = states_[index(element)].obstacle) return tl::unexpected(*obstacle);
  auto plan = element_plan(element);
  if (!plan) return tl::unexpected(plan.error());
  BuildPlan::JobFiles files{queue_.kind->stages_sources() || place_ == PluginQueue::Place::before_build, {}};
  if (place_ == PluginQueue::Place::behind_build) {
    files.outputs = parts_.plan.staged(element);
    for (const auto used : parts_.plan.runtime_closure(element))
      if (std::find(files.outputs.begin(), files.outputs.end(), used) == files.outputs.end())
        files.outputs.push_back(used);
  }
  auto spec = parts_.plan.job_spec(element, queue_.name, std::move(*plan), files,
                                   [this](ElementId other) { return parts_.build.output(other); });
  if (!spec) return tl::unexpected(spec.error());
  return std::make_shared<JobSpec>(std::move(*spec));
}

Meaning QueueRuns::on_result(ElementId element, const JobResult& result) {
  const auto document = element_document(parts_.plan, element);
  const auto means = queue_.kind->on_result({queue_.config, document}, result);
  if (!means) return {Meaning::Kind::fail, Why::plugin_fault, Failure::infra, to_text(means.error())};
  auto& state = of(element);
  if (*means == QueueKind::Means::done && result.ending == Ending::succeeded) return keep(element, result);
  if (*means == QueueKind::Means::fail && state.was_kept && is_of_the_job(result.failure)) withdraw(element);
  state.lock.reset();
  state.unproven = *means != QueueKind::Means::fail;
  switch (*means) {
    case QueueKind::Means::done: return {};
    case QueueKind::Means::skip: return {Meaning::Kind::skip, Why::plugin};
    case QueueKind::Means::fail: break;
  }
  state.phase = Phase::unknown;  // who asks again wants it again
  // A job that succeeded and does not please the plugin is a failure of its commands.
  return {Meaning::Kind::fail,
          Why::none,
          result.ending == Ending::succeeded ? Failure::command : Failure::none,
          {}};
}

Meaning QueueRuns::keep(ElementId element, const JobResult& result) {
  auto& state = of(element);
  const auto tree = result.outputs.empty() ? std::nullopt : store::Digest::parse(result.outputs.front());
  const auto log = result.outputs.size() > 1 ? store::Digest::parse(result.outputs[1]) : std::nullopt;
  if (!tree || !log)
    return {Meaning::Kind::fail, Why::none, Failure::infra, "the job left no record of itself"};
  store::ArtifactRecord record;
  record.output = *tree;
  record.recipe = state.document;
  record.log = *log;
  record.label = fmt::format("{} of {}", queue_.name, parts_.plan.name(element));
  record.wall = result.wall;
  record.cpu = result.usage.cpu;
  record.peak_bytes = result.usage.peak_bytes;
  auto ticket = parts_.store.commit(state.key, record);
  if (!ticket) return {Meaning::Kind::fail, Why::none, failure_of(ticket.error()), to_text(ticket.error())};
  ticket->on_done([lock = std::move(state.lock)](const Status&) mutable { lock.reset(); });
  tickets_.add(std::move(*ticket));
  state.phase = Phase::done;
  return {};
}

// The lock is held until it is gone: a job that is tried again may succeed and be kept.
void QueueRuns::withdraw(ElementId element) {
  auto& state = of(element);
  state.was_kept = false;
  parts_.arenas.enqueue(ArenaKind::store, [this, key = state.key, lock = std::move(state.lock)] {
    const auto removed = parts_.store.rm(key);
    if (removed) return;
    const std::lock_guard hold(withdrawn_mutex_);
    if (withdrawn_) withdrawn_ = tl::unexpected(removed.error());
  });
}

Status QueueRuns::finish() {
  auto kept = tickets_.wait();
  parts_.arenas.drain();
  const std::lock_guard hold(withdrawn_mutex_);
  return kept ? withdrawn_ : kept;
}

Verdict QueueRuns::as_gate(ElementId element) {
  const auto own = opinion(element);
  if (own.kind == Verdict::Kind::skip) return Verdict::ready();
  if (own.kind != Verdict::Kind::ready) return own;
  switch (done(element)) {
    case Answer::yes: return Verdict::ready();
    case Answer::later: return Verdict::wait(Why::lookup, element);
    case Answer::locked: return Verdict::wait(Why::other_weir, element);
    case Answer::failed:
    case Answer::no: break;
  }
  auto verdict = Verdict::never(Why::gate_not_passed);
  verdict.words =
      kept_words(fmt::format("not pushed: the queue \"{}\" has not succeeded for {}", queue_.name,
                             place_ == PluginQueue::Place::before_build ? "these sources" : "this artifact"));
  return verdict;
}

bool QueueRuns::wanted_though_cached(ElementId element) {
  if (!may_be_pushed_) return false;
  auto& guarded = of(element).guarded;
  if (!guarded) guarded = may_be_pushed_(element);
  return *guarded;
}

Answer QueueRuns::wants_sources(ElementId element) {
  const bool staged = place_ == PluginQueue::Place::before_build ? wanted_though_cached(element)
                                                                 : queue_.kind->stages_sources();
  if (!staged || opinion(element).kind != Verdict::Kind::ready) return Answer::no;
  switch (done(element)) {
    case Answer::yes: return Answer::no;
    case Answer::later: return Answer::later;
    default: return Answer::yes;
  }
}

}  // namespace weir
