#include "core/store/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace weir::store {

ParallelFor parallel_for_of_threads() {
  static const std::size_t cores =
      std::max(1U, std::thread::hardware_concurrency());  // reads a file each time
  return [](std::size_t count, const ParallelBody& body) {
    if (count == 1) return body(0);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(i);
    };
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(cores, count); ++i) others.emplace_back(work);
    } catch (const std::system_error&) {
      // A limit on threads: those that are there do it all.
    }
    work();
  };
}

}  // namespace weir::store
