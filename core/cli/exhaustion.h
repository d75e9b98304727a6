// When the machine gives weir no more memory, threads or open files: exit 5 with what to raise, instead of a
// bug report, a signal or a hang. Such failures come as exceptions of libraries (C++, Asio, TBB), at any
// place and on any thread.
#pragma once

#include <exception>

#include "core/base/result.h"

namespace weir::cli {

// Prints what an exception means, and returns the exit code: kResources, or kBug for anything else.
int report_exception(const std::exception_ptr& exception) noexcept;

// For what no function can return from: an exception that leaves a thread or a task of an arena.
[[noreturn]] void end_by_exception() noexcept;  // the current one
void end_threads_by_exception();                // from now on, instead of abort()

// A stack that is too small ends in SIGSEGV at some later place.
Status check_stack();

// A run needs so many threads at once: to find that out in its middle is too late. Starts them only where a
// limit is near enough to matter.
Status check_threads(unsigned count);

}  // namespace weir::cli
