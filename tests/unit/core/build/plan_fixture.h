// Plans of projects from texts, with kinds that only answer: no plugin is loaded and nothing is run but `sh
// --version`.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/build/build_plan.h"
#include "core/project/load.h"
#include "tests/support/temporary_folder.h"

namespace weir {

class PlainElement final : public ElementKind {
 public:
  explicit PlainElement(bool stages) : stages_(stages) {}
  std::string_view name() const override { return stages_ ? "plain" : "loose"; }
  std::uint32_t version() const override { return 1; }
  const std::vector<std::string>& host_tools() const override { return tools_; }
  Result<ResolvedConfig> resolve(std::string_view) const override { return ResolvedConfig{"{}", "{}", {}}; }
  bool stages_dependencies() const override { return stages_; }
  Result<ElementPlan> plan(std::string_view resolved, const ElementPlaces&) const override {
    return ElementPlan{{RunStep{{"true"}, "build", {}}}, {{"CONFIG", std::string(resolved)}}};
  }

 private:
  bool stages_;
  std::vector<std::string> tools_ = {"sh"};
};

class PlainSource final : public SourceKind {
 public:
  std::string_view name() const override { return "plain"; }
  std::uint32_t version() const override { return 1; }
  const std::vector<std::string>& host_tools() const override { return tools_; }
  Result<ResolvedConfig> resolve(std::string_view) const override { return ResolvedConfig{"{}", "{}", {}}; }
  Result<SourceFacts> describe(std::string_view) const override { return SourceFacts{}; }
  Result<std::string> wrong_ref(std::string_view) const override { return std::string(); }
  Result<std::vector<Step>> plan_track(std::string_view, const SourceRequest&) const override {
    return std::vector<Step>();
  }
  Result<std::string> parse_track(std::string_view, const TrackAnswer&) const override {
    return std::string();
  }
  Result<std::vector<Step>> plan_fetch(std::string_view, const SourceRequest&) const override {
    return std::vector<Step>();
  }
  Result<SourceStage> plan_stage(std::string_view, std::string_view, std::string_view) const override {
    return SourceStage{};
  }

 private:
  std::vector<std::string> tools_;
};

// A project with a store and a host. Elements of kind "loose" stage nothing; a source of kind "folder" is the
// folder src/NAME, one of kind "far" has a ref or none.
class PlanWorld {
 public:
  explicit PlanWorld(const std::string& elements)
      : loaded_(load_project_texts({{"weir.toml", "weir = 1\n" + elements}})) {
    EXPECT_TRUE(loaded_.ok());
    loaded_.project.root = folder.path();
    store_ = std::move(*store::Store::open(folder / "cache/store"));
    pin_ = *store_->pin("test");
    for (const auto& element : loaded_.project.elements) resolved_.push_back(resolve(element));
  }

  const Project& project() const { return loaded_.project; }
  store::Store& store() { return *store_; }
  Host& host() { return host_; }
  BuildPlanInput input(const ProjectGraph& graph) const {
    return {loaded_.project,  graph,
            resolved_,        SandboxRoot::host,
            folder / "cache", [](const std::string& element) { return "/bare/" + element; }};
  }
  std::vector<ElementIndex> targets(const std::vector<std::string>& names) const {
    return *select_targets(project(), names);
  }
  ProjectGraph whole(const std::vector<std::string>& names) const {
    return make_whole_graph(project(), targets(names));
  }
  std::vector<ElementId> ids(const ProjectGraph& graph, const std::vector<std::string>& names) const {
    std::vector<ElementId> all;
    for (const auto target : targets(names)) all.push_back(graph.ids[index(target)]);
    return all;
  }

  TemporaryFolder folder;

 private:
  ResolvedElement resolve(const Element& element) {
    ResolvedElement all{
        element.kind.text == "loose" ? &loose_ : &plain_, "{\"of\":\"" + element.name + "\"}", "{}", {}};
    for (const auto& source : element.sources) {
      ResolvedSource one{&source_, "{}", {}, source.url, {}, {}};
      if (source.kind.text == "folder") one.facts.content = ProjectContent{"src/" + element.name, {}};
      all.sources.push_back(std::move(one));
    }
    return all;
  }

  LoadedProject loaded_;
  PlainElement plain_{true}, loose_{false};
  PlainSource source_;
  std::vector<ResolvedElement> resolved_;
  std::unique_ptr<store::Store> store_;
  store::Pin pin_;
  Host host_{folder / "cache"};
};

}  // namespace weir
