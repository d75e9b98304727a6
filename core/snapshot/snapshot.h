// How a project stood when a run ended, so that the next one need not parse, hash or look up what has not
// changed.
//
//   take()        at the end of a run (take.h)
//   Snapshot::open  maps it, if it is the answer to the same question: the same targets and settings, the
//                   same store with
//                 nothing removed from it, the same weir
//   look()        finds out by stat alone what has changed since (look.h)
//   find_part()   which elements that reaches; they become a small project of their own (part.h)
//
// One that is stale, foreign or damaged is as good as none: then everything is looked at, and a new one is
// taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/project/project.h"
#include "core/snapshot/snapshot_file.h"
#include "core/snapshot/tables.h"

namespace weir::snapshot {

class Snapshot {
 public:
  // Only that it is there and whole so far; whether it answers the question is asked later, since the
  // question depends on what the project itself says.
  static std::optional<Snapshot> open(const std::string& path);
  bool answers(std::string_view question) const;

  const std::string& path() const { return path_; }
  const File& file() const { return file_; }
  const Counts& counts() const { return *counts_; }

  // The project without its elements; its places are in files of no name.
  bool frame(Project& project) const;

  // What follows is verified when it is first asked for; false: it is damaged, and the snapshot of no use.
  bool open_watches();
  bool open_elements();

  std::span<const Watch> watches() const { return watches_; }
  std::string_view paths() const { return paths_; }
  std::span<const Text> folders() const { return folders_; }
  std::span<const Hash128> contents() const { return contents_; }
  const char* path_of(const Watch& watch) const { return paths_.data() + watch.path; }

  std::span<const ElementRow> elements() const { return elements_; }
  std::span<const std::uint32_t> order() const { return order_; }
  std::string_view name(const ElementRow& row) const { return names_.substr(row.name.at, row.name.size); }
  std::span<const Edge> edges(const ElementRow& row) const {
    return edges_.subspan(row.edges.at, row.edges.size);
  }
  std::span<const SourceTree> trees(const ElementRow& row) const {
    return trees_.subspan(row.trees.at, row.trees.size);
  }
  // Its bytes as project_codec.h has them; empty if they are damaged.
  std::string_view definition(const ElementRow& row) const;

 private:
  Snapshot(std::string path, File file) : path_(std::move(path)), file_(std::move(file)) {}
  bool elements_fit() const;
  bool watches_fit() const;

  std::string path_;
  File file_;
  const Counts* counts_ = nullptr;
  std::span<const Watch> watches_;
  std::string_view paths_;
  std::span<const Text> folders_;
  std::span<const Hash128> contents_;
  bool elements_open_ = false;
  std::span<const ElementRow> elements_;
  std::span<const std::uint32_t> order_;
  std::string_view names_, definitions_;
  std::span<const Edge> edges_;
  std::span<const SourceTree> trees_;
};

}  // namespace weir::snapshot
