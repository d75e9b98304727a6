#include "queues/pipeline.h"

#include "queues/no_remotes.h"
#include "queues/pull_queue.h"

namespace weir {
namespace {

class Nothing final : public Sources, public Artifacts {
 public:
  bool tracking_wanted(ElementId) const override { return false; }
  bool has_ref(ElementId) const override { return true; }
  Answer present(ElementId) override { return Answer::yes; }
  PlannedJob plan_track(ElementId) const override { return fail(Reason::bug, ""); }
  PlannedJob plan_fetch(ElementId) const override { return fail(Reason::bug, ""); }
  Status tracked(ElementId, const JobResult&) override { return {}; }
  Status fetched(ElementId, const JobResult&) override { return {}; }
  Answer cached(ElementId) override { return Answer::yes; }
  PlannedJob plan_build(ElementId) const override { return fail(Reason::bug, ""); }
  Status built(ElementId, const JobResult&) override { return {}; }
};

Result<Row> row_of(std::vector<std::string_view> names) {
  static Nothing nothing;
  static NoRemotes remotes;
  const NeedsTable needs{JobNeeds{}};
  return make_row(names, {nothing, nothing, remotes, needs, needs, needs, needs});
}

std::string refusal(std::vector<std::string_view> names) {
  const auto row = row_of(std::move(names));
  return row ? "accepted" : row.error().message + " / " + row.error().remedy;
}

TEST(Pipeline, rows_know_where_wanted_elements_enter_and_where_artifacts_are_made) {
  const auto all = row_of({"track", "pull", "fetch", "build", "push"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->queues.size(), 5u);
  EXPECT_EQ(all->entry, 1u);
  EXPECT_EQ(all->makes, 3u);
  const auto track = row_of({"track"});
  ASSERT_TRUE(track);
  EXPECT_EQ(track->entry, 0u);
  EXPECT_EQ(track->makes, Row::kNone);
}

TEST(Pipeline, wrong_rows_are_refused_with_a_remedy) {
  EXPECT_EQ(refusal({}), "the row of queues is empty / name at least one queue");
  EXPECT_EQ(refusal({"fetch", "biuld"}), "there is no queue \"biuld\" / did you mean \"build\"?");
  EXPECT_EQ(refusal({"build", "fetch"}),
            "the queue \"fetch\" cannot come after \"build\" / the order is track, pull, fetch, build, push");
  EXPECT_EQ(refusal({"build", "build"}),
            "the queue \"build\" cannot come after \"build\" / the order is track, pull, fetch, build, push");
}

TEST(Pipeline, needs_that_are_set_while_a_run_goes_on_reach_its_queues) {
  Nothing nothing;
  NoRemotes remotes;
  NeedsTable build{JobNeeds{}};
  const NeedsTable others{JobNeeds{}};
  const std::string_view names[] = {"fetch", "build"};
  const auto row = make_row(names, {nothing, nothing, remotes, others, build, others, others});
  ASSERT_TRUE(row);
  EXPECT_EQ(row->queues[1]->needs(ElementId{7}).tokens, RequestId{0});
  build.set(ElementId{7}, {RequestId{3}, {}, {}});
  EXPECT_EQ(row->queues[1]->needs(ElementId{7}).tokens, RequestId{3});
  EXPECT_EQ(row->queues[1]->needs(ElementId{6}).tokens, RequestId{0});
  EXPECT_EQ(row->queues[0]->needs(ElementId{7}).tokens, RequestId{0});
}

TEST(Pipeline, queues_of_plugins_stand_behind_fetch_each_once) {
  const auto check = [](std::vector<std::string_view> names) {
    const auto good = check_row(names);
    return good ? "accepted" : good.error().message;
  };
  EXPECT_EQ(check({"pull", "fetch", "scan", "build", "test", "push"}), "accepted");
  EXPECT_EQ(check({"fetch", "build", "push", "sign"}), "accepted");
  EXPECT_EQ(check({"scan", "fetch", "build"}), "the queue \"scan\" cannot come before \"fetch\"");
  EXPECT_EQ(check({"fetch", "build", "test", "test"}), "the queue \"test\" is there twice");
  EXPECT_EQ(check({"fetch", "push", "test", "build"}), "the queue \"build\" cannot come after \"push\"");
}

TEST(Pipeline, a_queue_of_a_plugin_knows_whether_artifacts_are_made_before_it) {
  Nothing nothing;
  NoRemotes remotes;
  const NeedsTable needs{JobNeeds{}};
  std::string places;
  RowParts parts{nothing, nothing, remotes, needs, needs, needs, needs};
  parts.plugin_queue = [&](std::string_view name, PluginQueue::Place place) -> std::unique_ptr<Queue> {
    places += std::string(name) + (place == PluginQueue::Place::behind_build ? " behind " : " before ");
    return std::make_unique<PullQueue>(nothing, remotes, needs);
  };
  const std::string_view row[] = {"fetch", "scan", "build", "test"};
  ASSERT_TRUE(make_row(row, parts));
  EXPECT_EQ(places, "scan before test behind ");
}

}  // namespace
}  // namespace weir
