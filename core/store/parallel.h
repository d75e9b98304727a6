// How the store spreads work over cores. The caller may inject its own (the `store` arena); the default
// starts threads for one call and joins them. body(i) is called once for every i below count, from any
// thread, and must not throw.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>

#include "core/base/result.h"

namespace weir::store {

using ParallelBody = std::function<void(std::size_t)>;
using ParallelFor = std::function<void(std::size_t count, const ParallelBody& body)>;

// As many std::jthreads as the machine has cores, the caller's included.
ParallelFor parallel_for_of_threads();

// The error of the lowest index, so that the same trouble gives the same message whatever thread met it
// first.
class FirstError {
 public:
  void keep(std::size_t index, Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_ || index < index_) error_ = std::move(error), index_ = index;
  }
  Status status() const {
    const std::lock_guard lock(mutex_);
    return error_ ? Status(tl::unexpected(*error_)) : Status{};
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
  std::size_t index_ = 0;
};

// parallel_for over functions that give a Status.
template <class Body>
Status for_each_index(const ParallelFor& parallel_for, std::size_t count, Body&& body) {
  FirstError error;
  parallel_for(count, [&](std::size_t index) {
    if (Status status = body(index); !status) error.keep(index, std::move(status.error()));
  });
  return error.status();
}

}  // namespace weir::store
