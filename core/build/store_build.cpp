#include "core/build/store_build.h"

#include <fmt/format.h>

#include "core/base/assert.h"
#include "core/base/log.h"
#include "core/build/bare_lock.h"
#include "core/build/missing_tools.h"

namespace weir {

StoreBuild::StoreBuild(const BuildPlan& plan, store::Store& store, Failures& failures, Arenas& arenas,
                       LoopDoors doors, Mode mode)
    : plan_(plan),
      store_(store),
      failures_(failures),
      arenas_(arenas),
      doors_(std::move(doors)),
      mode_(mode),
      states_(plan.graph().graph.size()),
      alive_(std::make_shared<StoreBuild*>(this)),
      batch_(
          arenas, doors_, [this](Question& question) { answer(question); },
          [this](Question question) { take(std::move(question)); }, [this] { return store_.is_free(); }) {}

void StoreBuild::know(ElementId element, const store::Digest& output, const store::Key& kept_as) {
  auto& state = of(element);
  state.output = output;
  state.kept_as = kept_as;
  state.phase = Phase::there;
}

Answer StoreBuild::cached(ElementId element) {
  auto& state = of(element);
  if (state.phase == Phase::unknown) look(element);
  switch (state.phase) {
    case Phase::there: return Answer::yes;
    case Phase::looking: return Answer::later;
    default: return Answer::no;
  }
}

Answer StoreBuild::may_build(ElementId element) {
  auto& state = of(element);
  if (state.phase == Phase::missing) look_deeper(element);
  switch (state.phase) {
    case Phase::there: return Answer::no;
    case Phase::mine: return Answer::yes;
    case Phase::failed: return Answer::failed;
    case Phase::locked: return Answer::locked;
    default: return Answer::later;
  }
}

void StoreBuild::look(ElementId element) {
  auto& state = of(element);
  state.phase = state.forced ? Phase::missing : Phase::looking;
  if (!state.forced) batch_.ask({.element = element, .key = plan_.recipe_key(element)});
}

void StoreBuild::look_deeper(ElementId element) {
  auto& state = of(element);
  auto recipe = resolved_recipe(element);
  state.resolved = store::Key::of(recipe);
  state.phase = Phase::looking_deeper;
  batch_.ask({.element = element,
              .key = state.resolved,
              .to_build = true,
              .lock_key = lock_key(element),
              .recipe = std::move(recipe)});
}

std::string StoreBuild::resolved_recipe(ElementId element) const {
  return plan_.resolved_recipe(element, [this](ElementId dependency) {
    WEIR_ASSERT(has_output(dependency), "{} is not there yet", plan_.name(dependency));
    return output(dependency);
  });
}

store::Key StoreBuild::lock_key(ElementId element) const {
  if (plan_.sandbox() != SandboxRoot::none) return states_[index(element)].resolved;
  return bare_lock(plan_.layout(element));
}

// May be in an arena: nothing of the loop's is touched.
void StoreBuild::answer(Question& question) const {
  if (question.to_build && !question.lock) {
    auto got = store_.try_lock(question.lock_key);
    if (!got) question.trouble = got.error();
    else if (*got) question.lock = std::make_shared<store::KeyLock>(std::move(**got));
  }
  auto found = store_.lookup(question.key);
  if (found) question.found = std::move(*found);
  else question.trouble = found.error();
  if (!question.to_build || question.found) return;
  question.failed_with = failures_.find(question.key);
}

void StoreBuild::take(Question question) {
  auto& state = of(question.element);
  // A store that cannot be read is met again when the build is to be kept; until then it is a miss.
  if (question.trouble)
    log_warn("asking the store for {}: {}", plan_.name(question.element), question.trouble->message);
  if (question.found) {
    state.output = question.found->record.output;  // the check compares with it
    state.kept_as = question.found->key;
  }
  if (question.found && !state.forced && mode_ == Mode::usual) {
    found(question.element);
    if (seen_) seen_(question.element, {question.found->key, question.found->record.recipe, state.output});
  } else if (!question.to_build) {
    state.phase = Phase::missing;
  } else if (failed_before(question) && !state.forced && !state.tried && !retry_failed_) {
    state.phase = Phase::failed;
  } else if (question.lock || question.trouble) {
    state.recipe = std::move(question.recipe);
    state.lock = std::move(question.lock);
    state.phase = Phase::mine;
  } else {
    state.phase = Phase::locked;
    wait_for_lock(question.element);
  }
}

bool StoreBuild::failed_before(const Question& question) const {
  return question.failed_with && question.failed_with == Failures::trees_of(plan_.sources(question.element));
}

void StoreBuild::wait_for_lock(ElementId element) {
  of(element).wait = store_.lock(
      lock_key(element), [this, element, weak = std::weak_ptr(alive_)](Result<store::KeyLock> got) {
        auto lock = got ? std::make_shared<store::KeyLock>(std::move(*got)) : nullptr;
        doors_.post([element, lock, weak] {
          const auto self = weak.lock();
          if (!self) return;
          // Whoever had the lock has most likely built it.
          auto& build = **self;
          const bool answered = build.batch_.ask({.element = element,
                                                  .key = build.of(element).resolved,
                                                  .to_build = true,
                                                  .lock_key = build.lock_key(element),
                                                  .recipe = build.resolved_recipe(element),
                                                  .lock = lock});
          if (answered) build.doors_.news(element);
        });
      });
}

void StoreBuild::found(ElementId element) {
  auto& state = of(element);
  state.phase = Phase::there;
  state.lock.reset();
  const auto& recipe = plan_.recipe_key(element);
  if (state.resolved == store::Key{} || recipe == state.resolved) return;
  if (auto ticket = store_.alias(recipe, state.resolved)) tickets_.add(std::move(*ticket));
}

PlannedJob StoreBuild::plan_build(ElementId element) const {
  const auto output_of = [this](ElementId dependency) { return output(dependency); };
  if (auto checked = check_tools(plan_, store_, element, output_of); !checked)
    return tl::unexpected(checked.error());
  auto spec = plan_.build_spec(element, output_of);
  if (!spec) return tl::unexpected(spec.error());
  return std::make_shared<JobSpec>(std::move(*spec));
}

Status StoreBuild::built(ElementId element, const JobResult& result) {
  const auto tree = result.outputs.empty() ? std::nullopt : store::Digest::parse(result.outputs.front());
  if (!tree) return fail(Reason::bug, fmt::format("the build of {} gave no output", plan_.name(element)));
  auto& state = of(element);
  if (mode_ == Mode::check && state.output != store::Digest{}) {
    if (state.output != *tree) differences_.push_back({element, state.output, *tree});
    state.phase = Phase::there;  // others are built with what is in the store
    state.lock.reset();
    return {};
  }
  if (auto kept = keep(element, result, *tree); !kept) return kept;
  state.output = *tree;
  state.kept_as = state.resolved;
  state.phase = Phase::there;
  return {};
}

// Only what commands did is remembered: anything else may be otherwise the next time.
void StoreBuild::not_built(ElementId element, const JobResult& result) {
  auto& state = of(element);
  state.phase = Phase::missing;
  state.tried = true;
  if (result.failure == Failure::command) remember_failure(element);
  state.lock.reset();
  if (!failed_) return;
  // There is no record that it would be kept with.
  if (const auto recipe = store_.put_blob(state.recipe)) failed_(element, *recipe);
}

// A command that was given damaged files may have failed because of them. The lock is held until the failure
// is written: another weir that waits for it would run the same command.
void StoreBuild::remember_failure(ElementId element) {
  auto& state = of(element);
  const auto sources = Failures::trees_of(plan_.sources(element));
  if (!sources) return;
  std::vector<store::Digest> inputs;
  for (const auto& source : plan_.sources(element)) inputs.push_back(*source.tree);
  for (const auto dependency : plan_.staged(element)) inputs.push_back(output(dependency));
  arenas_.enqueue(ArenaKind::store,
                  [this, inputs = std::move(inputs), sources = *sources, key = state.resolved,
                   name = plan_.name(element), lock = std::move(state.lock)] {
                    const auto whole = store_.verify_trees(inputs);
                    if (whole && *whole) return failures_.remember(key, name, sources);
                    const std::lock_guard hold(damage_mutex_);
                    built_with_damage_.push_back(name);
                  });
}

Status StoreBuild::finish() {
  auto kept = tickets_.wait();
  arenas_.drain();
  return kept;
}

Status StoreBuild::keep(ElementId element, const JobResult& result, const store::Digest& tree) {
  auto& state = of(element);
  const auto log = result.outputs.size() > 1 ? store::Digest::parse(result.outputs[1]) : std::nullopt;
  store::ArtifactRecord record;
  record.label = plan_.name(element);
  record.output = tree;
  WEIR_ASSERT(!state.recipe.empty(), "{} was built without its recipe", record.label);
  record.recipe = {state.resolved.hash, state.recipe.size()};  // the key is its hash
  record.log = log.value_or(store::Digest{});
  record.wall = result.wall;
  record.cpu = result.usage.cpu;
  record.peak_bytes = result.usage.peak_bytes;
  record.cores = plan_.element(element).cpu.least;
  if (auto kept = commit(element, record, state.recipe); !kept)
    return kept;  // a person may want it tried again, so it stays
  state.recipe = {};
  if (seen_) seen_(element, {state.resolved, record.recipe, tree, true, state.forced});
  return {};
}

Status StoreBuild::pulled(ElementId element, const store::ArtifactRecord& record) {
  auto& state = of(element);
  state.resolved = store::Key{record.recipe.hash};
  if (auto kept = commit(element, record, {}); !kept) return kept;
  state.output = record.output;
  state.kept_as = state.resolved;
  state.phase = Phase::there;
  if (seen_) seen_(element, {state.resolved, record.recipe, record.output});
  return {};
}

// Under the resolved key, with the recipe key as another name of it.
Status StoreBuild::commit(ElementId element, const store::ArtifactRecord& record, std::string recipe) {
  auto& state = of(element);
  failures_.forget(state.resolved);
  const auto& first = plan_.recipe_key(element);
  const auto alias = first == state.resolved ? std::nullopt : std::optional(first);
  auto ticket = store_.commit(state.resolved, record, {std::move(recipe), alias});
  if (!ticket) return tl::unexpected(ticket.error());
  // Until the record can be seen, another weir that got the lock would build it again.
  ticket->on_done([lock = std::move(state.lock)](const Status&) mutable { lock.reset(); });
  tickets_.add(std::move(*ticket));
  return {};
}

}  // namespace weir
