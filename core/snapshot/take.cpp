#include "core/snapshot/take.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "core/project/project_codec.h"
#include "core/snapshot/tables.h"
#include "queues/pipeline.h"

namespace weir::snapshot {

namespace {

// A folder with that many watched paths is opened: to look at a path below it is then cheaper than from the
// project's root.
constexpr std::uint32_t kWorthOpening = 4;

// Paths to look at, and the bytes of their names.
class Watches {
 public:
  Watches(std::string root, std::int64_t taken_ns) : root_(std::move(root)), taken_ns_(taken_ns) {}

  void add(WatchKind kind, std::string_view path, FileStamp stamp, std::uint32_t owner = kNone) {
    if (path.starts_with(root_) && path.size() > root_.size() && path[root_.size()] == '/')
      path.remove_prefix(root_.size() + 1);
    const auto slash = path.rfind('/');
    const auto name = slash == path.npos ? 0 : slash + 1;
    watches_.push_back({stamp.value, static_cast<std::uint32_t>(paths_.size()), owner, kNone,
                        static_cast<std::uint16_t>(name), kind, !is_settled(stamp.newest_ns, taken_ns_)});
    paths_.append(path).push_back('\0');
  }

  // After all of them.
  void find_folders() {
    std::unordered_map<std::string_view, std::uint32_t> counts;
    const auto folder_of = [this](const Watch& watch) {
      return std::string_view(paths_).substr(watch.path, watch.name ? watch.name - 1U : 0U);
    };
    for (const auto& watch : watches_)
      if (watch.name > 1) ++counts[folder_of(watch)];
    std::string names;
    for (auto& [folder, count] : counts) {
      if (count < kWorthOpening) {
        count = kNone;
        continue;
      }
      folders_.push_back({static_cast<std::uint32_t>(paths_.size() + names.size()),
                          static_cast<std::uint32_t>(folder.size())});
      names.append(folder).push_back('\0');
      count = static_cast<std::uint32_t>(folders_.size() - 1);
    }
    for (auto& watch : watches_)
      if (watch.name > 1) watch.folder = counts.at(folder_of(watch));
    paths_ += names;
  }

  // What is longer than its number can say.
  bool fits() const { return paths_.size() < kNone && !too_long_; }
  void check(std::string_view path) { too_long_ |= path.size() > 0xffff; }

  void write(Writer& writer) const {
    writer.add(Section::watches, bytes_of(watches_));
    writer.add(Section::paths, paths_);
    writer.add(Section::folders, bytes_of(folders_));
  }

 private:
  std::string root_;
  std::int64_t taken_ns_;
  std::vector<Watch> watches_;
  std::string paths_;
  std::vector<Text> folders_;
  bool too_long_ = false;
};

class Taker {
 public:
  explicit Taker(const TakeInput& input)
      : input_(input),
        project_(input.plan.project()),
        watches_(project_.root, input.loaded.taken_ns),
        rows_(project_.elements.size()) {}

  Status run(const std::string& path) {
    elements();
    files();
    if (!folders()) return fail(Reason::project, "the project changed meanwhile");
    for (const auto& host : input_.host_paths) watches_.add(WatchKind::host, host, stamp_of(host.c_str()));
    if (!plan()) return fail(Reason::project, "not all keys are known");
    if (!watches_.fits()) return fail(Reason::resources, "the project is too large");
    watches_.find_folders();
    return write(path);
  }

 private:
  void elements() {
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const auto& element = project_.elements[i];
      auto& row = rows_[i];
      row.name = {static_cast<std::uint32_t>(names_.size()), static_cast<std::uint32_t>(element.name.size())};
      names_ += element.name;
      row.definition = definitions_.size();
      const auto definition = encode(element);
      definitions_ += definition;
      row.definition_checksum = checksum_of(definition);
      row.definition_size = static_cast<std::uint32_t>(definition.size());
      row.file = index(element.place.file);
      row.edges = {static_cast<std::uint32_t>(edges_.size()),
                   static_cast<std::uint32_t>(element.dependencies.size())};
      for (const auto& dependency : element.dependencies)
        edges_.push_back({index(dependency.to), static_cast<std::uint32_t>(dependency.kind)});
    }
  }

  // As they are shown, with what leads to the project in front.
  std::string inside(const std::string& shown) const {
    const auto prefix = input_.loaded.files[FileId{0}].path.size() - std::string_view("weir.toml").size();
    return shown.substr(prefix);
  }

  void file(WatchKind kind, const std::string& path, const SourceFile& from, std::uint32_t owner) {
    watches_.check(path);
    watches_.add(kind, path, from.stamp, owner);
    contents_.push_back(hash_of(from.text));
  }

  // weir.toml and weir.lock, then those of elements: FileId n is the watch n + 1, but for weir.lock, which is
  // always the second.
  void files() {
    const auto& files = input_.loaded.files;
    std::vector<std::uint32_t> owners(files.size(), kNone);
    for (std::uint32_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].file != 0 && rows_[i].file < owners.size()) owners[rows_[i].file] = i;
    const auto last = static_cast<std::uint32_t>(files.size() - 1);
    const bool locked = last > 0 && inside(files[FileId{last}].path) == "weir.lock";
    file(WatchKind::frame, "weir.toml", files[FileId{0}], kNone);
    file(WatchKind::frame, "weir.lock", locked ? files[FileId{last}] : SourceFile{}, kNone);
    for (std::uint32_t i = 1; i < files.size() - (locked ? 1 : 0); ++i)
      file(WatchKind::element_file, inside(files[FileId{i}].path), files[FileId{i}], owners[i]);
  }

  bool folders() {
    for (const auto& folder : input_.loaded.folders) {
      const auto path = project_.root + "/" + folder.path;
      watches_.check(path);
      watches_.add(WatchKind::element_folder, folder.path, folder.stamp);
      contents_.push_back(listing_of(path));
      if (stamp_of(path.c_str()).value != folder.stamp.value) return false;
    }
    return true;
  }

  // A queue of a plugin stands behind `build`.
  static bool tests_artifacts(const Project& project) {
    const auto build = std::find_if(project.queues.begin(), project.queues.end(),
                                    [](const auto& queue) { return queue.text == "build"; });
    return std::any_of(build, project.queues.end(),
                       [](const auto& queue) { return !is_own_queue(queue.text); });
  }

  bool plan() {
    const auto& graph = input_.plan.graph();
    const bool tested = tests_artifacts(input_.loaded.project);
    for (std::uint32_t i = 0; i < graph.chosen; ++i) {
      const ElementId id{i};
      const auto in_project = index(graph.elements[i]);
      if (!input_.plan.planned(id) || !input_.plan.has_key(id)) return false;
      auto& row = rows_[in_project];
      const auto outcome = input_.outcome(id);
      row.flags =
          ElementRow::planned | (outcome.there ? unsigned{ElementRow::there} : 0U) |
          (input_.plan.resolved(id).kind->stages_dependencies() ? unsigned{ElementRow::staging} : 0U) |
          (tested ? unsigned{ElementRow::tested} : 0U);
      row.recipe_key = input_.plan.recipe_key(id);
      row.kept_as = outcome.kept_as;
      row.output = outcome.output;
      order_.push_back(in_project);
      for (const auto& edge : std::span(edges_).subspan(row.edges.at, row.edges.size))
        counts_.edges +=
            edge.kind == static_cast<std::uint32_t>(DependencyKind::both) ? 2 : 1;  // as a graph has them
      sources(id, in_project);
    }
    counts_.planned = graph.chosen;
    counts_.noted_ns = static_cast<std::uint64_t>(input_.loaded.taken_ns);
    want();
    return true;
  }

  void sources(ElementId id, std::uint32_t in_project) {
    const auto& all = input_.plan.sources(id);
    rows_[in_project].trees = {static_cast<std::uint32_t>(trees_.size()),
                               static_cast<std::uint32_t>(all.size())};
    for (const auto& source : all) {
      const bool known = !source.path.empty() && source.tree;
      trees_.push_back({known ? *source.tree : store::Digest{}, known});
      for (const auto& seen : source.seen) {
        const auto path = seen.path.empty() ? source.path : source.path + "/" + seen.path;
        watches_.check(path);
        watches_.add(WatchKind::source, path, seen.stamp, in_project);
      }
    }
  }

  // The targets and what they need at run time.
  void want() {
    std::vector<std::uint32_t> open;
    const auto reach = [&](std::uint32_t i) {
      if (rows_[i].flags & ElementRow::wanted) return;
      rows_[i].flags |= ElementRow::wanted;
      ++counts_.wanted;
      counts_.missing += !(rows_[i].flags & ElementRow::there);
      open.push_back(i);
    };
    for (const auto target : input_.targets)
      if (rows_[index(target)].flags & ElementRow::planned)
        reach(index(target));  // not what the run was asked for later
    while (!open.empty()) {
      const auto next = open.back();
      open.pop_back();
      for (auto i = rows_[next].edges.at; i < rows_[next].edges.at + rows_[next].edges.size; ++i)
        if (edges_[i].kind != static_cast<std::uint32_t>(DependencyKind::build)) reach(edges_[i].to);
    }
  }

  Status write(const std::string& path) const {
    Writer writer;
    const auto frame = encode_frame(project_);
    writer.add(Section::question, input_.question);
    writer.add(Section::trust, input_.trust);
    writer.add(Section::counts, bytes_of(counts_));
    writer.add(Section::frame, frame);
    watches_.write(writer);
    writer.add(Section::contents, bytes_of(contents_));
    writer.add(Section::elements, bytes_of(rows_));
    writer.add(Section::names, names_);
    writer.add(Section::edges, bytes_of(edges_));
    writer.add(Section::order, bytes_of(order_));
    writer.add(Section::trees, bytes_of(trees_));
    writer.add(Section::definitions, definitions_);
    return writer.write(path);
  }

  const TakeInput& input_;
  const Project& project_;
  Watches watches_;
  std::vector<Hash128> contents_;
  std::vector<ElementRow> rows_;
  std::string names_, definitions_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> order_;
  std::vector<SourceTree> trees_;
  Counts counts_{};
};

}  // namespace

Hash128 listing_of(const std::string& folder) {
  struct Close {
    void operator()(DIR* dir) const { ::closedir(dir); }
  };
  const std::unique_ptr<DIR, Close> dir(::opendir(folder.c_str()));
  if (!dir) return {};
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir.get()))
    names.push_back(std::string(1, static_cast<char>('a' + entry->d_type)) + entry->d_name);
  std::sort(names.begin(), names.end());
  std::string all;
  for (const auto& name : names) all.append(name).push_back('\0');
  return hash_of(all);
}

Status take(const TakeInput& input, const std::string& path) { return Taker(input).run(path); }

}  // namespace weir::snapshot
