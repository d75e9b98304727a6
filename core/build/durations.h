// How long the builds of a project's elements took: of each the last five that succeeded. For the order of jobs and for what
// people are told to expect; no key depends on it, and a file that is damaged or gone costs only that.
#pragma once

#include <cstdint>
#include <map>
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
  using Samples = std::vector<std::uint32_t>;  // oldest first
  std::map<std::string, Samples, std::less<>> elements_;
};

// What one run took.
class DurationNotes final : public Observer {
 public:
  void on_event(const Event& event) override;
  // Into the file, after the run. Waits for another weir that is doing the same.
  Status save(const std::string& folder) const;

 private:
  std::map<std::string, std::uint32_t> built_;
};

}  // namespace weir
