// Ordered lanes. Within a lane
//   1. at most one job per group runs,
//   2. only readers or only writers run at a time,
//   3. jobs start in the order in which they asked: one that may not start yet holds back those behind it.
// A job may ask for several lanes; it is admitted when it is the first in line and compatible in each of
// them. One ask joins all its lines at once, so all lines agree on the order and two jobs never wait for each
// other.
//
// An admitted job stays admitted until it is taken or withdrawn: nobody behind it starts, and running jobs
// only end. Owner: the run. Thread: the loop's.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weir {

enum class LaneId : std::uint32_t {};
// Within all lanes of a run; kNoGroup has no limit.
enum class GroupId : std::uint32_t {};
inline constexpr GroupId kNoGroup{0};
enum class Access : std::uint8_t { read, write };

struct LaneAsk {
  LaneId lane{};
  GroupId group = kNoGroup;
  Access access = Access::write;
  bool operator==(const LaneAsk&) const = default;
};

class Lanes {
 public:
  enum class Ticket : std::uint32_t {};

  // Leaves the lanes when it dies.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept : lanes_(std::exchange(other.lanes_, nullptr)), ticket_(other.ticket_) {}
    Hold& operator=(Hold&& other) noexcept {
      if (this != &other) {
        release();
        lanes_ = std::exchange(other.lanes_, nullptr);
        ticket_ = other.ticket_;
      }
      return *this;
    }
    ~Hold() { release(); }
    void release() {
      if (lanes_) std::exchange(lanes_, nullptr)->leave(ticket_);
    }
    explicit operator bool() const { return lanes_ != nullptr; }

   private:
    friend class Lanes;
    Hold(Lanes& lanes, Ticket ticket) : lanes_(&lanes), ticket_(ticket) {}
    Lanes* lanes_ = nullptr;
    Ticket ticket_{};
  };

  Lanes() = default;
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  LaneId lane(std::string_view name);    // made when first named
  GroupId group(std::string_view name);  // "" is kNoGroup
  std::string_view name(LaneId lane) const { return lanes_[static_cast<std::size_t>(lane)].name; }

  // Joins the line of every lane named; no lane twice. `payload` comes back from admitted().
  Ticket ask(std::span<const LaneAsk> asks, std::uint32_t payload);
  bool is_admitted(Ticket ticket) const;
  // The lane that holds the ticket back, for people; only while it is not admitted.
  LaneId held_back_by(Ticket ticket) const;
  // Starts the job. Only for an admitted ticket.
  Hold take(Ticket ticket);
  // Leaves the lines without having started.
  void withdraw(Ticket ticket);

  // The payloads of all tickets admitted since the last call, in the order in which they were.
  std::vector<std::uint32_t> admitted();
  bool idle() const { return waiting_ == 0 && running_ == 0; }

 private:
  struct Place {
    LaneAsk ask;
    std::list<Ticket>::iterator in_line;
    bool clear = false;  // first in line and compatible with what runs
  };
  struct Job {
    std::vector<Place> places;
    std::uint32_t clear = 0;
    std::uint32_t payload = 0;
    bool taken = false;
  };
  struct Lane {
    std::string name;
    std::list<Ticket> line;
    std::vector<GroupId> running_groups;  // a handful: as many as run at once
    std::uint32_t running = 0;
    Access access = Access::read;  // of those that run
  };

  Job& job(Ticket ticket) { return jobs_[static_cast<std::size_t>(ticket)]; }
  const Job& job(Ticket ticket) const { return jobs_[static_cast<std::size_t>(ticket)]; }
  Lane& lane_of(const LaneAsk& ask) { return lanes_[static_cast<std::size_t>(ask.lane)]; }
  static bool compatible(const Lane& lane, const LaneAsk& ask);
  void clear_first(Lane& lane);
  void leave(Ticket ticket);
  void forget(Ticket ticket);

  std::vector<Lane> lanes_;
  std::vector<Job> jobs_;
  std::vector<Ticket> free_;
  std::vector<std::uint32_t> admitted_;
  std::unordered_map<std::string, LaneId> lane_names_;
  std::unordered_map<std::string, GroupId> group_names_;
  std::size_t waiting_ = 0;
  std::size_t running_ = 0;
};

}  // namespace weir
