// One plan, from the memory file to its record: what weir-init is about (core/exec/init_protocol.h).
#pragma once

#include <cstdint>

namespace weir::init {

struct Step {
  const char* directory;
  char** argv;
  char** plain;  // may be empty
};

struct Mount {
  const char* from;
  const char* to;
};

struct Plan {
  char** environment;
  Mount* mounts;
  std::uint32_t mount_count;
  Step* steps;
  std::uint32_t count;
};

// Of the process that becomes the program of a step, until it does.
extern char child_stack[16384];

// Maps what kPlanFd is now. A plan that makes no sense is the end of this process.
void map_plan();
Plan read_plan();
// For kBegunOffset.
void mark_begun();
bool has_flag(std::uint32_t flag);
// For the next one.
void forget_plan();

// Runs its steps, ends what they left, writes the record.
void run(const Plan& plan);
// Does what weir wants now: hold, go on, or die.
void look();
// A signal of weir reached this process, or is on its way to it.
bool heard_signal();

// From here on this process ends with weir. Whichever way weir went, either the death signal, which is set
// first, or the question whether it still reads sees it; the question is asked again with every sample.
void hang_on_weir();
void end_if_orphaned();

// A standard input of its own.
void open_own_input();
// The user's streams, but for the machine's /dev/null.
void open_own_null_devices();

}  // namespace weir::init
