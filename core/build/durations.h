// How long the builds of a project's elements took: of each the last five that succeeded. For the order of
// jobs and for what people are told to expect; no key depends on it, and a file that is damaged or gone costs
// only that.
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

class Durations {
 public:
  // `folder` of the project. One that is not there is empty.
  static Durations load(const std::string& folder);

  bool empty() const { return elements_.empty(); }
  // The median in milliseconds, at least 1; 0: it was never built.
  std::uint32_t of(std::string_view element) const;
  // The median over all elements; 0 if there are none.
  std::uint32_t usual() const;

 private:
  friend class DurationNotes;
  static constexpr std::size_t kKept = 5;  // one slow day does not count, and a change is noticed after three
  struct Entry {
    std::string_view name;
    std::array<std::uint32_t, kKept> samples{};  // oldest first
    std::uint32_t count = 0;

    void add(std::uint32_t took);
    std::uint32_t median() const;
  };
  const Entry* find(std::string_view element) const;
  Entry& make(std::string_view element);
  void apply(std::string_view change);

  // A hundred thousand elements are read at the start of a run: no allocation for each. Shared, so that names
  // stay where they are.
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<std::deque<std::string>> added_;  // names that are not in the file
  std::vector<Entry> elements_;                     // sorted by name
};

// What one run took.
class DurationNotes final : public Observer {
 public:
  void on_event(const Event& event) override;
  // Into the file, after the run; appended if it is little (sealed_file.h). Waits for another weir that is
  // doing the same.
  Status save(const std::string& folder) const;

 private:
  std::string encode() const;
  std::map<std::string, std::uint32_t> built_;
};

}  // namespace weir
