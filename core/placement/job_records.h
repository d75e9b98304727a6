// The jobs of a placer and what they need. A look at a record is a cache miss, so a job is one line of memory
// with its first three needs in it; those of which few jobs have any lie aside.
//
// A need is known by a number of its own, since it stands in a queue: four times its job, plus which of the
// three it is. Those beyond the third have their own records: four times that, plus three.
#pragma once

#include <cstdint>

#include "core/model/placement.h"
#include "core/placement/ordered_queue.h"
#include "core/placement/steady_array.h"

namespace weir {

class JobRecords {
 public:
  enum class Stage : std::uint8_t { cache, dependency, global, running };
  static constexpr std::uint32_t kInside = 3;

  // One dependency of one job, in the queue of that artifact.
  struct Need {
    QueueLink link;
    ResultId artifact{};
  };
  struct alignas(64) Job {
    std::uint64_t order : 48 = 0;  // of scheduling: enough for nine years of a million a second
    Stage stage = Stage::cache;
    std::uint8_t needs_inside : 2 = 0;
    bool has_more_needs : 1 = false;
    std::uint8_t late : 4 = 0;  // for each need inside, and last for the job: see OrderedQueue
    union {
      Time when{};      // deadline of its stage; global: since when
      WorkerId worker;  // running: who runs it
    };
    ResultId id{};
    QueueLink link;  // in the list of its stage, or of those that its worker runs
    Need needs[kInside];
  };
  static_assert(sizeof(Job) == 64);

  Job& operator[](std::uint32_t job) { return jobs_[job]; }
  const Job& operator[](std::uint32_t job) const { return jobs_[job]; }
  std::uint32_t used() const { return jobs_.used(); }
  std::uint32_t take() { return jobs_.take(); }
  void give_back(std::uint32_t job);
  void add_need(std::uint32_t job, ResultId artifact);

  Need& need(std::uint32_t need) {
    return is_inside(need) ? jobs_[need / 4].needs[need % 4] : more_[need / 4].need;
  }
  std::uint32_t job_of(std::uint32_t need) const { return is_inside(need) ? need / 4 : more_[need / 4].job; }

  void prefetch(std::uint32_t job) const { jobs_.prefetch(job); }
  void prefetch_need(std::uint32_t need) const {
    if (is_inside(need)) jobs_.prefetch(need / 4);
    else more_.prefetch(need / 4);
  }

  // visit(need, artifact) for all of a job, until it says true; whether it did.
  template <class Visit>
  bool any_need(std::uint32_t job, Visit visit) const {
    const auto& one = jobs_[job];
    for (std::uint32_t i = 0; i < one.needs_inside; ++i)
      if (visit(4 * job + i, one.needs[i])) return true;
    for (auto i = first_more(job); i != kNone; i = more_[i].next)
      if (visit(4 * i + kInside, more_[i].need)) return true;
    return false;
  }
  template <class Visit>
  void for_each_need(std::uint32_t job, Visit visit) const {
    any_need(job, [&](std::uint32_t need, const Need& what) { return visit(need, what), false; });
  }

  // As nodes of an OrderedQueue.
  class JobNodes;
  class NeedNodes;

 private:
  static constexpr std::uint8_t kJobIsLate = 1u << kInside;
  struct More {
    Need need;
    std::uint32_t child = kNone;
    std::uint32_t job = kNone;
    std::uint32_t next = kNone;  // of the same job
    bool is_late = false;
  };
  struct Aside {
    std::uint32_t child[kInside + 1];  // of each need inside, and of the job
    std::uint32_t first_more = kNone;
  };

  static bool is_inside(std::uint32_t need) { return need % 4 < kInside; }
  std::uint32_t first_more(std::uint32_t job) const {
    return jobs_[job].has_more_needs ? aside_[job].first_more : kNone;
  }
  Aside& aside(std::uint32_t job) {
    aside_.reach(job + 1);
    return aside_[job];
  }

  Pool<Job> jobs_;
  Pool<More> more_;
  SteadyArray<Aside> aside_;
};

class JobRecords::JobNodes {
 public:
  explicit JobNodes(JobRecords& records) : records_(records) {}
  QueueLink& link(std::uint32_t job) { return records_[job].link; }
  std::uint32_t& child(std::uint32_t job) { return records_.aside(job).child[kInside]; }
  std::uint64_t order(std::uint32_t job) const { return records_[job].order; }
  bool is_late(std::uint32_t job) const { return records_[job].late & kJobIsLate; }
  void set_late(std::uint32_t job, bool late) {
    auto& one = records_[job];
    one.late = late ? one.late | kJobIsLate : one.late & ~kJobIsLate;
  }

 private:
  JobRecords& records_;
};

class JobRecords::NeedNodes {
 public:
  explicit NeedNodes(JobRecords& records) : records_(records) {}
  QueueLink& link(std::uint32_t need) { return records_.need(need).link; }
  std::uint32_t& child(std::uint32_t need) {
    return is_inside(need) ? records_.aside(need / 4).child[need % 4] : records_.more_[need / 4].child;
  }
  std::uint64_t order(std::uint32_t need) const { return records_[records_.job_of(need)].order; }
  bool is_late(std::uint32_t need) const {
    if (!is_inside(need)) return records_.more_[need / 4].is_late;
    return records_[need / 4].late >> need % 4 & 1;
  }
  void set_late(std::uint32_t need, bool late) {
    if (!is_inside(need)) {
      records_.more_[need / 4].is_late = late;
      return;
    }
    auto& one = records_[need / 4];
    const auto bit = 1u << need % 4;
    one.late = static_cast<std::uint8_t>(late ? one.late | bit : one.late & ~bit) & 0xf;
  }

 private:
  JobRecords& records_;
};

inline void JobRecords::add_need(std::uint32_t at, ResultId artifact) {
  auto& job = jobs_[at];
  if (job.needs_inside < kInside) {
    job.needs[job.needs_inside].artifact = artifact;
    job.needs_inside = static_cast<std::uint8_t>(job.needs_inside + 1) & 3;
    return;
  }
  const auto more = more_.take();
  more_[more].need.artifact = artifact;
  more_[more].job = at;
  more_[more].next = first_more(at);
  aside(at).first_more = more;
  job.has_more_needs = true;
}

inline void JobRecords::give_back(std::uint32_t at) {
  for (auto more = first_more(at); more != kNone;) {
    const auto next = more_[more].next;
    more_.give_back(more);
    more = next;
  }
  jobs_.give_back(at);
}

}  // namespace weir
