#include "core/snapshot/part.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/assert.h"
#include "core/project/project_codec.h"

namespace weir::snapshot {

namespace {

// Below it a part is worth it however small the project is; above it only if it is a small part.
constexpr std::size_t kAlwaysWorthIt = 64;
constexpr std::size_t kShare = 8;

class Finder {
 public:
  explicit Finder(const Snapshot& snapshot)
      : snapshot_(snapshot), rows_(snapshot.elements()), reached_(rows_.size()), member_(rows_.size()) {}

  std::optional<Part> run(std::span<const std::uint32_t> changed) {
    mark_reached(changed);
    for (const auto row : snapshot_.order())
      if (reached_[row]) add(row);
    while (!open_.empty() && members_ <= most()) {
      const auto row = open_.back();
      open_.pop_back();
      for (const auto& edge : snapshot_.edges(rows_[row]))
        if (reached_[row] || edge.kind != static_cast<std::uint32_t>(DependencyKind::build)) add(edge.to);
    }
    if (members_ > most()) return std::nullopt;
    return part();
  }

 private:
  std::size_t most() const { return std::max(kAlwaysWorthIt, rows_.size() / kShare); }

  // One pass, since dependencies come first in the order.
  void mark_reached(std::span<const std::uint32_t> changed) {
    for (const auto row : changed) reached_[row] = true;
    std::vector<bool> brings(rows_.size());  // itself or something that it needs at run time is reached
    for (const auto row : snapshot_.order()) {
      bool at_run_time = false, to_build = false;
      for (const auto& edge : snapshot_.edges(rows_[row])) {
        if (!brings[edge.to]) continue;
        at_run_time |= edge.kind != static_cast<std::uint32_t>(DependencyKind::build);
        to_build |= edge.kind != static_cast<std::uint32_t>(DependencyKind::runtime);
      }
      const auto flags = rows_[row].flags;
      const bool missing = (flags & ElementRow::wanted) && !(flags & ElementRow::there);
      if (missing || (to_build && (flags & ElementRow::staging)) ||
          (at_run_time && (flags & ElementRow::tested)))
        reached_[row] = true;
      brings[row] = reached_[row] || at_run_time;
    }
  }

  // What is needed and not there may have to be built, with all that this takes.
  void add(std::uint32_t row) {
    if (member_[row]) return;
    member_[row] = true;
    if (!(rows_[row].flags & ElementRow::there)) reached_[row] = true;
    ++members_;
    open_.push_back(row);
  }

  Part part() const {
    Part part;
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      if (member_[row]) part.members.push_back({row, reached_[row]});
      else part.wanted_outside += (rows_[row].flags & ElementRow::wanted) != 0;
    }
    return part;
  }

  const Snapshot& snapshot_;
  std::span<const ElementRow> rows_;
  std::vector<bool> reached_, member_;
  std::vector<std::uint32_t> open_;
  std::size_t members_ = 0;
};

class Loader {
 public:
  Loader(const Snapshot& snapshot, const Part& part, const std::string& shown)
      : snapshot_(snapshot), part_(part), shown_(shown) {
    for (const auto& member : part.members)
      positions_.emplace(member.row, static_cast<std::uint32_t>(positions_.size()));
  }

  std::optional<LoadedProject> run() {
    loaded_.taken_ns = wall_clock_ns();
    file(FileId{0});
    if (!snapshot_.frame(loaded_.project)) return std::nullopt;
    loaded_.project.elements.resize(part_.members.size());
    const FileOf file_of = [this](FileId told) { return file(told); };
    for (std::size_t i = 0; i < part_.members.size(); ++i) {
      auto& element = loaded_.project.elements[i];
      if (!decode(snapshot_.definition(snapshot_.elements()[part_.members[i].row]), file_of, element))
        return std::nullopt;
      keep_inside(element, part_.members[i].reached);
    }
    return std::move(loaded_);
  }

 private:
  // FileId n is the watch n + 1 (take.cpp), but for weir.toml, which is the first. What is quoted of it is
  // read when it is needed.
  FileId file(FileId told) {
    const auto watch = index(told) == 0 ? 0 : index(told) + 1;
    if (watch >= snapshot_.watches().size()) return kNoFile;
    const auto [at, added] = files_.try_emplace(watch, kNoFile);
    if (added) at->second = loaded_.files.add(shown_ + snapshot_.path_of(snapshot_.watches()[watch]));
    return at->second;
  }

  void keep_inside(Element& element, bool reached) const {
    std::erase_if(element.dependencies, [&](const Dependency& dependency) {
      const bool kept = reached || dependency.kind != DependencyKind::build;
      return !kept || !positions_.contains(index(dependency.to));
    });
    for (auto& dependency : element.dependencies) {
      dependency.to = ElementIndex{positions_.at(index(dependency.to))};
      if (!reached) dependency.kind = DependencyKind::runtime;
    }
  }

  const Snapshot& snapshot_;
  const Part& part_;
  const std::string& shown_;
  std::unordered_map<std::uint32_t, std::uint32_t> positions_;  // row to its place in the part
  std::unordered_map<std::uint32_t, FileId> files_;
  LoadedProject loaded_;
};

}  // namespace

std::optional<Part> find_part(const Snapshot& snapshot, std::span<const std::uint32_t> changed) {
  WEIR_ASSERT(snapshot.elements().size() >= snapshot.counts().planned,
              "the elements of a snapshot were not opened");
  return Finder(snapshot).run(changed);
}

Part part_of(std::span<const std::uint32_t> rows) {
  Part part;
  for (const auto row : rows) part.members.push_back({row, false});
  return part;
}

std::optional<LoadedProject> load_part(const Snapshot& snapshot, const Part& part, const std::string& shown) {
  return Loader(snapshot, part, shown).run();
}

}  // namespace weir::snapshot
