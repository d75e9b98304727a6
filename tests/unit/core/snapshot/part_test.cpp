#include "core/snapshot/part.h"

#include <gtest/gtest.h>

#include "core/project/project_codec.h"
#include "tests/support/temporary_folder.h"

namespace weir::snapshot {
namespace {

struct Given {
  std::string name;  // in order of names, dependencies first
  std::vector<std::pair<std::uint32_t, DependencyKind>> needs = {};
  std::uint32_t flags = ElementRow::planned | ElementRow::there | ElementRow::staging;
};

// A snapshot of elements that nobody built.
class Parts : public ::testing::Test {
 protected:
  Snapshot snapshot_of(const std::vector<Given>& all) {
    std::vector<ElementRow> rows;
    std::vector<Edge> edges;
    std::vector<std::uint32_t> order;
    std::vector<Watch> watches;
    std::string names, definitions, paths;
    for (const auto& given : all) {
      ElementRow row{};
      Element element;
      element.name = given.name;
      element.kind.text = "script";
      row.edges = {static_cast<std::uint32_t>(edges.size()), static_cast<std::uint32_t>(given.needs.size())};
      for (const auto& [to, kind] : given.needs) {
        edges.push_back({to, static_cast<std::uint32_t>(kind)});
        element.dependencies.push_back({ElementIndex{to}, kind, {}});
      }
      const auto definition = encode(element);
      row.definition = definitions.size();
      row.definition_size = static_cast<std::uint32_t>(definition.size());
      row.definition_checksum = checksum_of(definition);
      definitions += definition;
      row.name = {static_cast<std::uint32_t>(names.size()), static_cast<std::uint32_t>(given.name.size())};
      names += given.name;
      row.flags = given.flags;
      order.push_back(static_cast<std::uint32_t>(rows.size()));
      rows.push_back(row);
    }
    watches.push_back({1, 0, kNone, kNone, 0, WatchKind::frame, false});
    paths = std::string("weir.toml") + '\0';
    Project project;
    project.name = "part";
    const auto frame = encode_frame(project);
    const Counts counts{all.size(), edges.size(), 0, 0, 0};
    Writer writer;
    writer.add(Section::counts, bytes_of(counts));
    writer.add(Section::frame, frame);
    writer.add(Section::watches, bytes_of(watches));
    writer.add(Section::paths, paths);
    writer.add(Section::elements, bytes_of(rows));
    writer.add(Section::names, names);
    writer.add(Section::edges, bytes_of(edges));
    writer.add(Section::order, bytes_of(order));
    writer.add(Section::definitions, definitions);
    EXPECT_TRUE(writer.write(folder_ / "snapshot"));
    auto snapshot = Snapshot::open(folder_ / "snapshot");
    EXPECT_TRUE(snapshot && snapshot->open_watches() && snapshot->open_elements());
    return std::move(*snapshot);
  }
  // "a* b": members, those that are reached with a star.
  static std::string text(const Snapshot& snapshot, const std::optional<Part>& part) {
    if (!part) return "everything";
    std::string all;
    for (const auto& member : part->members)
      all += (all.empty() ? "" : " ") + std::string(snapshot.name(snapshot.elements()[member.row])) +
             (member.reached ? "*" : "");
    return all;
  }
  TemporaryFolder folder_;
};

constexpr auto kBuild = DependencyKind::build, kRun = DependencyKind::runtime, kBoth = DependencyKind::both;
constexpr std::uint32_t kMissing = ElementRow::planned | ElementRow::staging;

TEST_F(Parts, a_change_reaches_those_that_are_built_with_it_and_brings_what_they_are_built_with) {
  const auto snapshot = snapshot_of(
      {{"a"}, {"b"}, {"c", {{0, kBoth}, {1, kBuild}}}, {"d", {{2, kBuild}}}, {"e", {{1, kBuild}}}});
  const std::vector<std::uint32_t> changed = {0};
  EXPECT_EQ(text(snapshot, find_part(snapshot, changed)), "a* b c* d*");
}

TEST_F(Parts, what_is_only_needed_at_run_time_reaches_those_who_are_built_with_its_user) {
  const auto snapshot = snapshot_of({{"a"}, {"b", {{0, kRun}}}, {"c", {{1, kBuild}}}, {"d", {{2, kRun}}}});
  const std::vector<std::uint32_t> changed = {0};
  EXPECT_EQ(text(snapshot, find_part(snapshot, changed)), "a* b c*");
}

TEST_F(Parts, a_known_element_brings_what_it_needs_at_run_time_and_not_what_it_was_built_with) {
  const auto snapshot = snapshot_of({{"a"}, {"b"}, {"c", {{0, kBuild}, {1, kRun}}}, {"d", {{2, kBuild}}}});
  const std::vector<std::uint32_t> changed = {3};
  EXPECT_EQ(text(snapshot, find_part(snapshot, changed)), "b c d*");
}

TEST_F(Parts, what_has_no_key_of_its_dependencies_is_not_reached_by_them) {
  const auto snapshot = snapshot_of({{"a"}, {"b", {{0, kBoth}}, ElementRow::planned | ElementRow::there}});
  const std::vector<std::uint32_t> changed = {0};
  EXPECT_EQ(text(snapshot, find_part(snapshot, changed)), "a*");
}

TEST_F(Parts, what_is_wanted_and_not_there_is_reached_with_all_that_building_it_takes) {
  const auto snapshot = snapshot_of({{"a", {}, kMissing},
                                     {"b", {{0, kBuild}}, kMissing},
                                     {"c", {{1, kBuild}}, kMissing | ElementRow::wanted},
                                     {"d"}});
  EXPECT_EQ(text(snapshot, find_part(snapshot, {})), "a* b* c*");
}

TEST_F(Parts, a_part_that_is_most_of_a_large_project_is_no_part) {
  std::vector<Given> all = {{"a0"}};
  for (int i = 1; i < 600; ++i) all.push_back({"b" + std::to_string(1000 + i), {{0, kBuild}}});
  const auto snapshot = snapshot_of(all);
  const std::vector<std::uint32_t> base = {0}, leaf = {5};
  EXPECT_EQ(text(snapshot, find_part(snapshot, base)), "everything");
  EXPECT_EQ(text(snapshot, find_part(snapshot, leaf)), "a0 b1005*");
}

TEST_F(Parts, a_part_is_a_project_with_dependencies_inside_of_it) {
  const auto snapshot = snapshot_of({{"a"}, {"b"}, {"c", {{0, kBuild}, {1, kBoth}}}, {"d", {{2, kBoth}}}});
  const std::vector<std::uint32_t> changed = {3};
  const auto part = find_part(snapshot, changed);
  ASSERT_EQ(text(snapshot, part), "b c d*");
  const auto loaded = load_part(snapshot, *part, "sub/");
  ASSERT_TRUE(loaded);
  const auto& elements = loaded->project.elements;
  EXPECT_EQ(loaded->project.name, "part");
  EXPECT_EQ(loaded->files[FileId{0}].path, "sub/weir.toml");
  ASSERT_EQ(elements.size(), 3u);
  ASSERT_EQ(elements[1].dependencies.size(), 1u);  // c: only what it needs at run time
  EXPECT_EQ(elements[1].dependencies[0].to, ElementIndex{0});
  EXPECT_EQ(elements[1].dependencies[0].kind, DependencyKind::runtime);
  ASSERT_EQ(elements[2].dependencies.size(), 1u);
  EXPECT_EQ(elements[2].dependencies[0].to, ElementIndex{1});
  EXPECT_EQ(elements[2].dependencies[0].kind, DependencyKind::both);
}

TEST_F(Parts, a_table_that_leads_outside_is_refused) {
  std::vector<ElementRow> rows(1);
  rows[0].name = {5, 10};
  const Counts counts{};
  Writer writer;
  writer.add(Section::counts, bytes_of(counts));
  writer.add(Section::elements, bytes_of(rows));
  ASSERT_TRUE(writer.write(folder_ / "wrong"));
  auto snapshot = Snapshot::open(folder_ / "wrong");
  ASSERT_TRUE(snapshot);
  EXPECT_FALSE(snapshot->open_elements());
}

}  // namespace
}  // namespace weir::snapshot
