// Who of all classes is first for a single free worker, kept as a tree of winners: a change costs one path to
// the root.
#pragma once

#include <cstdint>
#include <vector>

namespace weir {

class ClassTournament {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  // What one class brings to the contest.
  struct Entry {
    bool waits = false;
    bool is_background = false;      // load 0
    bool counts_for_spread = false;  // and load above 0
    std::int64_t lack = 0;           // target - running
    std::uint32_t load_rank = 0;     // larger is a larger load
    bool operator==(const Entry&) const = default;
  };
  struct Winners {
    std::uint32_t entitled = kNobody;    // waits and is below its target: the largest lack
    std::uint32_t borrower = kNobody;    // waits and has a load: the largest load
    std::uint32_t background = kNobody;  // waits and has none: the first
    std::int64_t highest = 0;            // lack of those that count for the spread, and 0
    std::int64_t lowest = 0;
    // What they won by; 0 for nobody. Beside the winner, so that a match is decided by the two records alone,
    // and a record that stays as it was is the end of the path.
    std::int64_t entitled_lack = 0;
    std::uint32_t borrower_rank = 0;
    bool operator==(const Winners&) const = default;
  };

  void resize(std::size_t classes);
  void set(std::uint32_t index, const Entry& entry);
  const Winners& winners() const { return nodes_[1]; }
  std::int64_t spread() const { return winners().highest - winners().lowest; }

 private:
  static Winners alone(std::uint32_t index, const Entry& entry);
  static Winners merged(const Winners& a, const Winners& b);

  std::size_t leaves_ = 1;
  std::vector<Winners> nodes_ = std::vector<Winners>(2);
  std::vector<Entry> entries_;
};

}  // namespace weir
