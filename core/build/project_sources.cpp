#include "core/build/project_sources.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/json_writer.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/build/job_label.h"
#include "core/build/source_url.h"

namespace weir {

namespace {

// Raised when the meaning of the document changes, or what is kept under its key cannot be relied on. 1:
// sources were not verified as a whole before they were kept.
constexpr int kSourceFormat = 2;

std::string document_of(const ResolvedSource& source, const std::string& ref) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("config").raw(source.facts.key);
  json.key("kind").value(source.kind->name());
  if (!source.kind->plugin().empty()) json.key("plugin").value(source.kind->plugin());
  json.key("ref").value(ref);
  json.key("source").value(kSourceFormat).key("version").value(source.kind->version());
  json.end_object();
  return text;
}

// A folder for all sources of a kind that have one URL.
std::string cache_of(const ResolvedSource& source) {
  return fmt::format("{}/{}", source.kind->name(), store::Key::of(source.url).hex().substr(0, 32));
}

}  // namespace

ProjectSources::ProjectSources(BuildPlan& plan, store::Store& store, Arenas& arenas, LoopDoors doors,
                               Environment environment)
    : plan_(plan),
      store_(store),
      arenas_(arenas),
      doors_(std::move(doors)),
      environment_(std::move(environment)),
      states_(plan.graph().graph.size()),
      alive_(std::make_shared<ProjectSources*>(this)),
      batch_(
          arenas, doors_, [this](Question& question) { answer(question); },
          [this](Question question) { take(std::move(question)); }) {}

void ProjectSources::track(ElementId element) {
  states_[index(element)].tracking = !tracked_sources(plan_, element).empty();
}

Answer ProjectSources::present(ElementId element) {
  auto& state = states_[index(element)];
  switch (state.phase) {
    case Phase::there: return Answer::yes;
    case Phase::missing: return Answer::no;
    case Phase::looking: return Answer::later;
    case Phase::unknown: break;
  }
  Question question{element, {}, {}};
  const auto& sources = plan_.resolved_sources(element);
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (!sources[i].of_project())
      question.all.push_back({i, document_of(sources[i], plan_.sources(element)[i].ref), {}, {}});
  if (question.all.empty()) {
    state.phase = Phase::there;
    return Answer::yes;
  }
  state.phase = Phase::looking;
  batch_.ask(std::move(question));
  return Answer::later;
}

// In an arena.
void ProjectSources::answer(Question& question) const {
  for (auto& one : question.all) {
    const auto found = store_.lookup(store::Key::of(one.document));
    if (found && *found) {
      one.tree = (*found)->record.output;
      continue;
    }
    if (!found) question.trouble = found.error();
    const auto put = store_.put_blob(one.document);
    if (put) one.document_digest = *put;
    else question.trouble = put.error();
  }
}

void ProjectSources::take(Question question) {
  auto& state = states_[index(question.element)];
  if (question.trouble)
    log_warn("asking the store for sources of {}: {}", plan_.name(question.element),
             question.trouble->message);
  for (const auto& one : question.all) {
    if (one.tree) {
      plan_.set_tree(question.element, one.source, *one.tree);
    } else {
      state.missing.push_back(one.source);
      state.documents.push_back(one.document_digest);
    }
  }
  state.phase = state.missing.empty() ? Phase::there : Phase::missing;
}

SourceRequest ProjectSources::request(ElementId element, std::size_t source, const std::string& name,
                                      const std::string& cache) const {
  return {plan_.resolved_sources(element)[source].url, plan_.sources(element)[source].ref, name, cache};
}

JobSpec ProjectSources::network_job(ElementId element, std::string_view queue) const {
  JobSpec spec;
  spec.label = job_label(plan_.name(element), queue);
  spec.environment = environment_;
  spec.network = true;
  return spec;
}

PlannedJob ProjectSources::plan_track(ElementId element) const {
  auto spec = network_job(element, "track");
  for (const auto source : tracked_sources(plan_, element)) {
    const auto& own = plan_.resolved_sources(element)[source];
    const auto name = source_name(source), cache = cache_of(own);
    auto asked = request(element, source, name, cache);
    asked.ref = {};
    auto steps = own.kind->plan_track(own.config, asked);
    if (!steps) return tl::unexpected(steps.error());
    std::move(steps->begin(), steps->end(), std::back_inserter(spec.steps));
    spec.outputs.push_back(fmt::format("source/{}.track", name));
  }
  return std::make_shared<JobSpec>(std::move(spec));
}

Result<std::string> ProjectSources::ref_in(const std::string& element, std::size_t output,
                                           const TrackAnswer& answer) const {
  const auto* named = plan_.project().find(element);
  const auto position = named - plan_.project().elements.data();
  const auto id = plan_.graph().ids[static_cast<std::size_t>(position)];
  const auto& own = plan_.resolved_sources(id)[tracked_sources(plan_, id)[output]];
  auto ref = own.kind->parse_track(own.config, answer);
  if (!ref)
    return fail(ref.error().reason, fmt::format("{}: {}", without_passwords(own.url), ref.error().message),
                ref.error().remedy);
  const auto wrong = own.kind->wrong_ref(*ref);
  if (!wrong) return tl::unexpected(wrong.error());
  if (!wrong->empty())
    return fail(Reason::project, fmt::format("{}: {}", without_passwords(own.url), *wrong));
  return ref;
}

Status ProjectSources::tracked(ElementId element, const JobResult& result) {
  const auto sources = tracked_sources(plan_, element);
  if (result.outputs.size() != sources.size() + 1)
    return fail(Reason::bug, "a source was tracked and gave no answer");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    found_[lock_key(plan_.element(element), plan_.element(element).sources[sources[i]])] = result.outputs[i];
    plan_.set_ref(element, sources[i], result.outputs[i]);
  }
  lock_wanted_ = true;
  write_lock();
  return {};
}

// One write at a time; what is found meanwhile is written with the next.
void ProjectSources::write_lock() {
  if (lock_writing_ || !lock_wanted_) return;
  lock_writing_ = true;
  lock_wanted_ = false;
  arenas_.enqueue(ArenaKind::store, [this, found = found_, weak = std::weak_ptr(alive_)] {
    doors_.post([weak, status = update_lock_file(plan_.project().root, plan_.project(), found)] {
      const auto self = weak.lock();
      if (!self) return;
      (*self)->lock_writing_ = false;
      if (!status) log_warn("{}", to_text(status.error()));
      (*self)->write_lock();
    });
  });
}

PlannedJob ProjectSources::plan_fetch(ElementId element) const {
  auto spec = network_job(element, "fetch");
  for (const auto source : states_[index(element)].missing) {
    const auto& own = plan_.resolved_sources(element)[source];
    const auto name = source_name(source), cache = cache_of(own);
    auto steps = own.kind->plan_fetch(own.config, request(element, source, name, cache));
    if (!steps) return tl::unexpected(steps.error());
    std::move(steps->begin(), steps->end(), std::back_inserter(spec.steps));
    spec.outputs.push_back("source/" + name);
  }
  return std::make_shared<JobSpec>(std::move(spec));
}

Status ProjectSources::fetched(ElementId element, const JobResult& result) {
  auto& state = states_[index(element)];
  if (result.outputs.size() != state.missing.size() + 1)
    return fail(Reason::bug, "a source was fetched and is not there");
  const auto log = store::Digest::parse(result.outputs.back());
  for (std::size_t i = 0; i < state.missing.size(); ++i) {
    const auto source = state.missing[i];
    const auto tree = store::Digest::parse(result.outputs[i]);
    if (!tree || !log) return fail(Reason::bug, "a source was fetched and has no tree");
    plan_.set_tree(element, source, *tree);
    store::ArtifactRecord record;
    record.output = *tree;
    record.recipe = state.documents[i];
    record.log = *log;
    record.label = fmt::format("source {} of {}", source + 1, plan_.name(element));
    record.wall = result.wall;
    const auto document =
        document_of(plan_.resolved_sources(element)[source], plan_.sources(element)[source].ref);
    auto ticket = store_.commit(store::Key::of(document), record);
    if (!ticket) return tl::unexpected(ticket.error());
    tickets_.add(std::move(*ticket));
  }
  state.phase = Phase::there;
  return {};
}

// A path that is gone is told in as many ways as there are programs that read it.
std::string ProjectSources::explain_failure(ElementId element, const JobResult& result) const {
  if (result.failure != Failure::source || !to_line_) return {};
  Diagnostics diagnostics;
  const auto& own = plan_.element(element);
  for (std::size_t i = 0; i < own.sources.size(); ++i) {
    const auto path = local_path(plan_.resolved_sources(element)[i].url);
    std::error_code error;
    if (path.empty() || std::filesystem::exists(path, error) || error) continue;
    diagnostics.error(own.sources[i].place,
                      fmt::format("the {} source of element {}: {} does not exist", own.sources[i].kind.text,
                                  weir::in_quotes(own.name), path),
                      "correct `url`, or restore it");
  }
  return diagnostics.has_errors() ? to_line_(diagnostics) : std::string();
}

Status ProjectSources::finish() {
  auto first = tickets_.wait();
  arenas_.drain();
  if (!found_.empty())
    if (auto written = update_lock_file(plan_.project().root, plan_.project(), found_); !written && first)
      first = written;
  return first;
}

std::vector<std::size_t> tracked_sources(const BuildPlan& plan, ElementId element) {
  std::vector<std::size_t> all;
  const auto& sources = plan.element(element).sources;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const bool by_hand = !sources[i].ref.empty() && !sources[i].ref_from_lock;
    if (!plan.resolved_sources(element)[i].of_project() && !by_hand) all.push_back(i);
  }
  return all;
}

std::vector<store::Key> source_keys(const BuildPlan& plan, ElementId element) {
  std::vector<store::Key> keys;
  const auto& sources = plan.resolved_sources(element);
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (!sources[i].of_project())
      keys.push_back(store::Key::of(document_of(sources[i], plan.sources(element)[i].ref)));
  return keys;
}

std::vector<std::string> mirrors_of(const BuildPlan& plan, ElementId element) {
  std::vector<std::string> all;
  for (const auto& source : plan.resolved_sources(element)) {
    if (!source.kind->keeps_mirror()) continue;
    auto name = "mirror " + cache_of(source);
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
  }
  return all;
}

}  // namespace weir
