// Orders to a run that goes on, on a real loop with real kinds, a real store and, at the end, a real
// scheduler.
#include "core/cli/submissions.h"

#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "core/base/random.h"
#include "core/cli/run_needs.h"
#include "core/cli/run_row.h"
#include "core/cli/run_work.h"
#include "core/exec/local_executor.h"
#include "core/scheduler/asio_driver.h"
#include "tests/support/temporary_folder.h"

namespace weir::cli {
namespace {

constexpr Machine kMachine{4, 1'000'000'000, 1'000'000'000};

std::string import_of(const std::string& name, const std::string& more = "") {
  return fmt::format(
      "[element.{}]\nkind = \"import\"\nsource = [{{ kind = \"local\", path = \"src/{}\" }}]\n{}\n", name,
      name, more);
}

// A run of which nothing was started yet.
class SubmissionsTest : public testing::Test {
 protected:
  void open(const std::string& elements, std::vector<std::string> targets) {
    folder.write("weir.toml", "weir = 1\n[project]\nname = \"t\"\n" + elements);
    auto made = open_project(folder.path(), {{"cache.dir", folder / "cache", "the test"}}, {"test"});
    ASSERT_TRUE(made);
    opened = std::move(*made);
    auto kept = open_store(opened->values(), "test");
    ASSERT_TRUE(kept);
    store = std::move(*kept);
    auto plan = plan_targets(*opened, *store.store, targets, GraphOf::project);
    ASSERT_TRUE(plan);
    planned = std::move(*plan);
    auto all = needs_of_run(*opened, *planned, kMachine, ledger, lanes);
    ASSERT_TRUE(all) << all.error().message;
    needs.emplace(std::move(*all));
    submissions = make();
  }
  std::unique_ptr<Submissions> make() {
    return std::make_unique<Submissions>(
        Submissions::Parts{*opened, *planned, *store.store, *needs,
                           [this](std::function<void()> call) { boost::asio::post(loop, std::move(call)); }});
  }

  std::string names(const std::vector<ElementId>& ids) const {
    std::string text;
    for (const auto id : ids) text += (text.empty() ? "" : " ") + planned->plan->name(id);
    return text;
  }
  std::string without_folder(std::string text) const {
    for (auto at = text.find(folder / ""); at != text.npos; at = text.find(folder / ""))
      text.erase(at, (folder / "").size());
    return text;
  }
  // "c: a b c", or what is wrong.
  std::string words(const Result<Submitted>& answer) const {
    if (!answer) return without_folder(answer.error().message) + " | " + answer.error().remedy;
    return names(answer->targets) + ": " + names(answer->added);
  }
  void order(std::vector<std::string> targets) {
    submissions->plan(std::move(targets), [this](Result<Submitted> answer) {
      EXPECT_EQ(std::this_thread::get_id(), own_thread);
      answers.push_back(words(answer));
    });
  }
  void run_until_answered(std::size_t count) {
    while (answers.size() < count) loop.run_one();
  }
  std::string ordered(std::vector<std::string> targets) {
    const auto before = answers.size();
    order(std::move(targets));
    EXPECT_EQ(answers.size(), before);
    run_until_answered(before + 1);
    return answers.back();
  }
  // All that an order could have changed.
  std::string state() const {
    const auto all = planned->plan->planned_elements();
    auto text =
        fmt::format("{} | {} requests, {} targets", names(all), ledger.requests(), planned->targets.size());
    for (const auto id : all) text += " " + planned->plan->recipe_key(id).hex();
    return text;
  }
  ElementId id(const std::string& name) const {
    const auto one = select_targets(opened->project(), std::span(&name, 1));
    return planned->graph.ids[index(one->front())];
  }

  const std::thread::id own_thread = std::this_thread::get_id();
  TemporaryFolder folder;
  std::unique_ptr<OpenedProject> opened;
  OpenedStore store;
  std::unique_ptr<PlannedTargets> planned;
  Ledger ledger;
  Lanes lanes;
  std::optional<ProjectNeeds> needs;
  boost::asio::io_context loop{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_loop{loop.get_executor()};
  std::vector<std::string> answers;
  std::unique_ptr<Submissions> submissions;
};

TEST_F(SubmissionsTest, targets_are_planned_with_what_they_need) {
  folder.write("src/c/file", "c");
  open(
      "[element]\na.kind = \"stack\"\nb.kind = \"stack\"\nb.depends = [\"a\"]\nb.cpu = 3\nx.kind = "
      "\"stack\"\n" +
          import_of("c", "depends = [\"b\"]\nlane = \"way\""),
      {"a"});
  EXPECT_EQ(names(planned->plan->planned_elements()), "a");
  EXPECT_EQ(ordered({"c"}), "c: b c");
  EXPECT_TRUE(submissions->idle());
  EXPECT_EQ(names(planned->plan->planned_elements()), "a b c");
  EXPECT_EQ(ledger.needs(needs->build().of(id("b")).tokens).front().amount, 3);
  EXPECT_EQ(ledger.needs(needs->plugin_queues().at("test").of(id("b")).tokens).front().amount, 3);
  ASSERT_EQ(needs->build().of(id("c")).lanes.size(), 1u);
  EXPECT_EQ(lanes.name(needs->build().of(id("c")).lanes.front().lane), "way");
  EXPECT_EQ(ids_of(*planned), (std::vector<ElementId>{id("a"), id("c")}));
}

TEST_F(SubmissionsTest, what_is_planned_already_is_answered_as_it_is) {
  open(
      "[element]\na.kind = \"stack\"\nb.kind = \"stack\"\nb.depends = [\"a\"]\nc.kind = \"stack\"\nc.depends "
      "= [\"a\", \"b\"]\n",
      {"b"});
  const auto before = state();
  EXPECT_EQ(ordered({"b"}), "b: ");
  EXPECT_EQ(ordered({"a", "b"}), "a b: ");
  EXPECT_EQ(names(planned->plan->planned_elements()), "a b");
  EXPECT_EQ(ordered({"?"}), "a b c: c");
  EXPECT_EQ(ordered({"?"}), "a b c: ");
  EXPECT_NE(before, state());
}

TEST_F(SubmissionsTest, orders_that_come_at_once_are_planned_one_after_another) {
  open(
      "[element]\na.kind = \"stack\"\nb.kind = \"stack\"\nc.kind = \"stack\"\nc.depends = [\"b\"]\nd.kind = "
      "\"stack\"\n"
      "d.depends = [\"c\"]\n",
      {"a"});
  order({"c"});
  order({"nothing"});
  order({"d", "b"});
  order({"c", "a"});
  EXPECT_FALSE(submissions->idle());
  run_until_answered(4);
  EXPECT_EQ(answers[0], "c: b c");
  EXPECT_EQ(answers[1].substr(0, 20), "no element \"nothing\"");
  EXPECT_EQ(answers[2], "d b: d");
  EXPECT_EQ(answers[3], "c a: ");
}

TEST_F(SubmissionsTest, an_order_that_cannot_be_planned_says_why_and_changes_nothing) {
  folder.write("src/good/file", "good");
  open(
      "[element]\na.kind = \"stack\"\nlib.kind = \"stack\"\nlib.cpu = 2\n"
      "big.kind = \"stack\"\nbig.memory = \"2GB\"\nbig.depends = [\"lib\"]\n"
      "[element.far]\nkind = \"import\"\nsource = [{ kind = \"git\", url = \"http://localhost/x.git\", track "
      "= \"main\" }]\n" +
          import_of("gone") + import_of("lost") + import_of("good"),
      {"a"});
  const auto before = state();
  EXPECT_EQ(ordered({}), "no target is named | name elements, or a glob such as \"**\"");
  EXPECT_EQ(ordered({"bog", "good"}), "no element \"bog\" | did you mean \"big\"?");
  EXPECT_EQ(ordered({"far", "good"}),
            "weir.toml:13:11: the git source of element \"far\" has no ref yet | run `weir track far`, or "
            "build with --track");
  EXPECT_EQ(
      ordered({"gone", "lost"}),
      "weir.toml:16:11: the local source of element \"gone\": there is no \"src/gone\" in the project\n"
      "weir.toml:20:11: the local source of element \"lost\": there is no \"src/lost\" in the project | "
      "correct `path`, which is relative to weir.toml, or restore it");
  EXPECT_EQ(ordered({"good", "big"}),
            "element \"big\" needs 2147483648 of memory, but there is only 932891136 | raise memory in "
            "[resources] or ask for less");
  EXPECT_EQ(state(), before);
  EXPECT_EQ(ordered({"good"}), "good: good");
  folder.write("src/gone/file", "here again");
  EXPECT_EQ(ordered({"gone"}), "gone: gone");
}

class SeededSubmissionsTest : public SubmissionsTest, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(SeededSubmissionsTest, keys_are_those_of_a_run_that_began_with_all) {
  Random random(GetParam());
  const auto name = [](std::uint64_t i) { return fmt::format("e{}", i); };
  std::string elements;
  for (std::uint64_t i = 0; i < 8; ++i) {
    std::string depends;
    for (std::uint64_t to = 0; to < i; ++to)
      if (random.chance(0.3)) depends += fmt::format("\"{}\", ", name(to));
    elements += import_of(name(i), fmt::format("depends = [{}]", depends));
    folder.write(fmt::format("src/{}/file", name(i)), fmt::format("{}", i % 3));
  }
  open(elements, {name(random.below(8))});
  for (int i = 0; i < 4; ++i) order({name(random.below(8)), name(random.below(8))});
  order({"**"});
  run_until_answered(5);
  const std::vector<std::string> everything = {"**"};
  const auto once = plan_targets(*opened, *store.store, everything);
  ASSERT_TRUE(once);
  for (std::uint64_t i = 0; i < 8; ++i) {
    const auto grown = id(name(i));
    const auto at = (*once)->graph.ids[index(planned->graph.elements[index(grown)])];
    EXPECT_EQ(planned->plan->recipe_key(grown), (*once)->plan->recipe_key(at)) << name(i);
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, SeededSubmissionsTest, testing::Range<std::uint64_t>(1, 7));

TEST_F(SubmissionsTest, nobody_is_answered_after_the_end) {
  folder.write("src/a/file", "a");
  folder.write("src/b/file", "b");
  open(import_of("a") + import_of("b") + "[element.c]\nkind = \"stack\"\n", {"c"});
  order({"a"});
  order({"b"});
  submissions.reset();
  loop.poll();
  EXPECT_TRUE(answers.empty());
  // What was not merged is as if it had never been asked for.
  EXPECT_EQ(names(planned->plan->planned_elements()), "c");
  submissions = make();
  EXPECT_EQ(ordered({"a"}), "a: a");
}

TEST_F(SubmissionsTest, an_answer_may_be_the_end) {
  open("[element]\na.kind = \"stack\"\nb.kind = \"stack\"\nc.kind = \"stack\"\n", {"a"});
  bool ended = false;
  submissions->plan({"b"}, [&](const Result<Submitted>& answer) {
    EXPECT_EQ(words(answer), "b: b");
    submissions.reset();
    ended = true;
  });
  order({"c"});
  while (!ended) loop.run_one();
  loop.poll();
  EXPECT_TRUE(answers.empty());
}

TEST_F(SubmissionsTest, an_answer_may_be_followed_by_an_order) {
  open("[element]\na.kind = \"stack\"\nb.kind = \"stack\"\nc.kind = \"stack\"\n", {"a"});
  submissions->plan({"b"}, [&](const Result<Submitted>&) { order({"c"}); });
  run_until_answered(1);
  EXPECT_EQ(answers.front(), "c: c");
}

// Row, flow and all that stands behind the queues were made when only the first targets were planned.
TEST_F(SubmissionsTest, a_run_builds_what_was_added_after_its_row_was_made) {
  folder.write("src/a/file", "a");
  folder.write("src/b/file", "b");
  open(import_of("a") + import_of("b") +
           "[element]\nboth.kind = \"stack\"\nboth.depends = [\"a\", \"b\"]\nrest.kind = \"stack\"\n",
       {"a"});
  const auto run_folder = RunFolder::make(opened->values().cache_dir.value, "t", folder.path());
  ASSERT_TRUE(run_folder);
  Arenas arenas(2);
  Scheduler* told_of_news = nullptr;
  const LoopDoors doors{[&](std::function<void()> call) { boost::asio::post(loop, std::move(call)); },
                        [&](ElementId element) { told_of_news->door().post(input::News{element}); }};
  RunRequest request;
  const SteadyClock steady;
  RemoteLines no_remotes({{}, steady, {}, 0, {}, {}});
  RunWork work({*opened, *planned, *store.store, *run_folder, arenas, doors, *needs, StoreBuild::Mode::usual,
                no_remotes, ProjectRemotes::Asking::always});
  auto row = work.make_row(request);
  ASSERT_TRUE(row) << row.error().message;
  const SteadyClock clock;
  Emitter events(clock);
  LocalExecutor executor(loop, arenas, work.executor_options());
  Scheduler scheduler({planned->graph.graph, *row, ledger, lanes, executor, clock, events}, {});
  told_of_news = &scheduler;
  AsioDriver driver(loop, scheduler);
  const auto wanted = wanted_of(request, opened->project(), *planned);
  work.prepare(request, wanted);

  scheduler.start(wanted, planned->plan->planned_elements());
  EXPECT_EQ(ordered({"both"}), "both: b both");
  scheduler.door().post(input::Submit{"somebody", {id("both")}, {id("b"), id("both")}});
  driver.run();
  EXPECT_TRUE(work.keep_all());
  EXPECT_EQ(work.finish(scheduler.summary().exit), 0);
  EXPECT_EQ(scheduler.summary().counts.built, 3u);
  for (const auto* name : {"a", "b", "both"}) {
    const auto found = store.store->lookup(planned->plan->recipe_key(id(name)));
    EXPECT_TRUE(found && *found) << name;
  }
  EXPECT_EQ(scheduler.flow().table().phase(id("rest")), Phase::unneeded);
}

}  // namespace
}  // namespace weir::cli
