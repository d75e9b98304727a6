// What memory the builds of a project's elements took: of each the peaks of the last five that succeeded, all
// processes of a job together, and at what size one was killed since. For tokens of memory; no key depends on
// it, and a file that is damaged or gone costs only that jobs are started as if they had never run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/event.h"

namespace weir {

// In KiB.
struct MemoryPeak {
  static constexpr std::size_t kKept = 5;
  std::array<std::uint32_t, kKept> samples{};  // newest first; 0: none
  std::uint32_t killed_at =
      0;  // it was seen with so much before it was killed for want of memory, and did not succeed since

  // The most of the last five, not their median: a job that gets too little is killed and done again, one
  // that asks for too much only waits. A single large build is forgotten after five others. In bytes; 0: it
  // never succeeded.
  std::uint64_t most() const;
  std::uint64_t killed_bytes() const { return std::uint64_t{killed_at} * 1024; }
  bool operator==(const MemoryPeak&) const = default;
};

class MemoryPeaks {
 public:
  // `folder` of the project. One that is not there is empty.
  static MemoryPeaks load(const std::string& folder);

  struct Entry {
    std::string_view name;
    MemoryPeak peak;
  };
  bool empty() const { return elements_.empty(); }
  MemoryPeak of(std::string_view element) const;
  const std::vector<Entry>& elements() const { return elements_; }  // sorted by name

 private:
  friend class MemoryNotes;
  // A hundred thousand elements are read at the start of a run: no allocation for each. Shared, so that names
  // stay where they are.
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<std::deque<std::string>> added_;  // names of elements that were appended
  std::vector<Entry> elements_;
};

// What one run took.
class MemoryNotes final : public Observer {
 public:
  void on_event(const Event& event) override;
  // Into the file, after the run; appended if it is little (sealed_file.h). Waits for another weir that is
  // doing the same.
  Status save(const std::string& folder) const;

 private:
  friend class MemoryPeaks;
  struct Note {
    std::uint32_t peak = 0;       // of the build that succeeded
    std::uint32_t killed_at = 0;  // of those that were killed before or since
  };
  static MemoryPeak changed(MemoryPeak before, const Note& note);
  std::string encode() const;
  static void apply(std::string_view change, MemoryPeaks& peaks);
  std::map<std::string, Note, std::less<>> built_;
};

}  // namespace weir
