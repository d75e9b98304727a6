#include "core/snapshot/snapshot.h"

#include <algorithm>

#include "core/project/project_codec.h"

namespace weir::snapshot {

namespace {

template <class T>
bool open_table(const File& file, Section section, std::span<const T>& table) {
  const auto found = file.table<T>(section);
  if (found) table = *found;
  return found.has_value();
}

bool open_bytes(const File& file, Section section, std::string_view& bytes) {
  const auto found = file.bytes(section);
  if (found) bytes = *found;
  return found.has_value();
}

bool within(Text part, std::size_t all) { return part.at <= all && part.size <= all - part.at; }

}  // namespace

std::optional<Snapshot> Snapshot::open(const std::string& path) {
  auto file = File::map(path);
  if (!file) return std::nullopt;
  Snapshot snapshot(path, std::move(*file));
  std::span<const Counts> counts;
  if (!open_table(snapshot.file_, Section::counts, counts) || counts.size() != 1) return std::nullopt;
  snapshot.counts_ = counts.data();
  return snapshot;
}

bool Snapshot::answers(std::string_view question) const { return file_.bytes(Section::question) == question; }

bool Snapshot::frame(Project& project) const {
  const auto bytes = file_.bytes(Section::frame);
  return bytes && decode_frame(
                      *bytes, [](FileId file) { return file; }, project);
}

// What does not fit is not there: who asks for it all the same finds nothing.
bool Snapshot::open_watches() {
  if (open_table(file_, Section::watches, watches_) && open_bytes(file_, Section::paths, paths_) &&
      open_table(file_, Section::folders, folders_) && open_table(file_, Section::contents, contents_) &&
      watches_fit())
    return true;
  watches_ = {};
  folders_ = {};
  contents_ = {};
  return false;
}

// A checksum says that the bytes are those that were written, not that whoever wrote them was right.
bool Snapshot::watches_fit() const {
  const auto elements = file_.unverified(Section::elements).size() / sizeof(ElementRow);
  const auto fits = [&](const Watch& watch) {
    const bool owned = watch.owner < elements || (watch.owner == kNone && watch.kind != WatchKind::source);
    return owned && watch.path < paths_.size() && watch.name < paths_.size() - watch.path &&
           (watch.folder == kNone || watch.folder < folders_.size());
  };
  return (paths_.empty() || paths_.back() == '\0') && std::all_of(watches_.begin(), watches_.end(), fits) &&
         std::all_of(folders_.begin(), folders_.end(), [this](const Text& folder) {
           return within(folder, paths_.size()) && folder.at < paths_.size();
         });
}

bool Snapshot::open_elements() {
  if (elements_open_) return true;
  definitions_ = file_.unverified(Section::definitions);
  elements_open_ = open_table(file_, Section::elements, elements_) &&
                   open_table(file_, Section::order, order_) && open_bytes(file_, Section::names, names_) &&
                   open_table(file_, Section::edges, edges_) && open_table(file_, Section::trees, trees_) &&
                   elements_fit();
  if (elements_open_) return true;
  elements_ = {};
  order_ = {};
  return false;
}

std::string_view Snapshot::definition(const ElementRow& row) const {
  const auto bytes = definitions_.substr(row.definition, row.definition_size);
  return checksum_of(bytes) == row.definition_checksum ? bytes : std::string_view();
}

bool Snapshot::elements_fit() const {
  const auto fits = [this](const ElementRow& row) {
    return within(row.name, names_.size()) && within(row.edges, edges_.size()) &&
           within(row.trees, trees_.size()) && row.definition <= definitions_.size() &&
           row.definition_size <= definitions_.size() - row.definition;
  };
  const auto known = [this](std::uint32_t element) { return element < elements_.size(); };
  return counts_->planned <= elements_.size() && std::all_of(elements_.begin(), elements_.end(), fits) &&
         std::all_of(order_.begin(), order_.end(), known) &&
         std::all_of(edges_.begin(), edges_.end(), [&](const Edge& edge) { return known(edge.to); });
}

}  // namespace weir::snapshot
