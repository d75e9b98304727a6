// What the executor and weir-init agree on. Free of the standard library's types, so that weir-init can use
// it.
//
// They share one memory file (memfd), inherited by weir-init as kPlanFd and mapped by both. A file and not a
// pair of pipes: it costs one descriptor instead of four, nothing has to be watched for it, a plan of any
// size cannot block, and what was written before a kill can still be read after it.
//
//   0   u32  wanted state, written by the executor, read by weir-init when it gets a signal
//   4   u32  size of the plan
//   8   u64  CPU nanoseconds of all that was reaped so far   } written by weir-init while it runs
//   16  u64  peak bytes so far                               }
//   24  u32  flags
//   28  u32  with kOwnNamespaces: not 0 from the moment when the first step may have begun
//   32  u32  with a step that failed: the most processes and threads that were seen at once
//   36  the plan: u32 count of environment entries, each "NAME=value"; u32 count of mounts, each: what
//       (empty: a new tmpfs) and where; u32 count of steps, each: directory, u32 count of arguments, the
//       arguments, and the same again of a plainer form that is tried first, or 0. Texts are those of
//       core/base/wire.h with their NUL inside the length, so weir-init uses them in place.
//   then zeros, over which the record is written step by step, closed by kTagEnd and kEndMark: one without it
//   was cut off.
//       step: u8 kTagStep, u32 step, u8 kind, u32 value, u64 start, u64 end (CLOCK_MONOTONIC ns), u64 CPU ns,
//       u64 peak
//
// Signals: kLookSignal and SIGTERM say that the wanted state changed, kOrphanSignal (by PDEATHSIG, only
// without a pid namespace) that weir is gone. A word and a signal, not a signal for each: pending signals
// have no order, so a resume that overtakes its suspend would leave the job stopped. And of one signal only
// one is ever pending: if a job keeps its own pending, the kernel drops weir's. So weir-init reads the word
// on every signal, and a signal from a job has no other effect. Only a SIGTERM from
// outside of the namespace (of a service manager, say) does what Wanted::terminate does.
//
// One that serves has a socket (SOCK_SEQPACKET) as kPlanFd instead. A message with kPlanWord brings
// descriptors: a file as above, the output, and for a jobserver that is a pipe its two ends. One without
// descriptors says that the same file has another plan, with the same output. weir-init works it off, sees to
// it that nobody is left in its namespace, and answers with kDoneWord. If it heard any signal it ends
// instead: such a signal could be meant for this plan and arrive with the next. The end of the socket is its
// own.
//
// One that serves inside of bubblewrap has the folders of all jobs below kHidden, and the capability to
// mount. Each plan (kOwnNamespaces) is worked off by a child of it in namespaces of its own: a new /proc, the
// mounts of the plan, nothing of kHidden, no capabilities. A child that cannot be set up like that ends with
// kExitNoNamespaces before the first step.
//
// weir-init also looks whether weir still reads its output. With kOnTerminal the standard descriptors are the
// user's own, who may close them; then kLifeFd is the end of a pipe that is there for this question alone.
#pragma once

#include <signal.h>

#include <cstdint>

namespace weir::init {

inline constexpr int kPlanFd = 3;
inline constexpr int kLifeFd = 4;   // with kOnTerminal only
inline constexpr int kServeFd = 5;  // where one that serves keeps its socket
// Where a job finds the jobserver that is a pipe. Not lower: shells and configure scripts use those numbers
// for files of theirs.
inline constexpr int kJobserverReader = 14;
inline constexpr int kJobserverWriter = 15;
inline constexpr char kPlanWord = 'p';
inline constexpr char kDoneWord = 'd';
inline constexpr unsigned kMostHandedOver = 4;
inline constexpr std::uint32_t kHeaderSize = 36;
inline constexpr std::uint32_t kWantedOffset = 0;
inline constexpr std::uint32_t kPlanSizeOffset = 4;
inline constexpr std::uint32_t kLiveOffset = 8;
inline constexpr std::uint32_t kFlagsOffset = 24;
inline constexpr std::uint32_t kBegunOffset = 28;
inline constexpr std::uint32_t kProcessesOffset = 32;

inline constexpr std::uint32_t kOnTerminal = 1;      // flag: a person is at the other end
inline constexpr std::uint32_t kOwnNamespaces = 2;   // flag
inline constexpr std::uint32_t kConfined = 4;        // flag: in a sandbox (core/exec/weir_init/confine.h)
inline constexpr std::uint32_t kUserNamespaces = 8;  // flag: and may have user namespaces of its own
// Flag, written by weir-init: when a step failed, not one more process could be started. Whose limit that was
// shows how many there were.
inline constexpr std::uint32_t kAtProcessLimit = 16;

// What only one that serves inside of bubblewrap sees. The proc is there since the kernel mounts another one
// only where one can be seen as a whole.
#define WEIR_HIDDEN "/.weir"
inline constexpr char kHiddenWork[] = WEIR_HIDDEN "/work";
inline constexpr char kHiddenStage[] = WEIR_HIDDEN "/stage";
inline constexpr char kHiddenProc[] = WEIR_HIDDEN "/proc";
inline constexpr char kKeys[] = "/proc/keys";  // no job sees what is in it
inline constexpr int kExitNoNamespaces = 5;
inline constexpr int kExitNoFilter = 6;  // this kernel does not let a job be confined

// `terminate` is an end with manners: TERM to all others, and then all are waited for.
enum class Wanted : std::uint32_t { run, hold, kill, terminate };

inline constexpr int kLookSignal = SIGUSR1;
inline constexpr int kOrphanSignal = SIGUSR2;

inline constexpr std::uint8_t kTagStep = 1;
inline constexpr std::uint8_t kTagEnd = 2;
inline constexpr std::uint32_t kStepSize = 42;  // in the record
inline constexpr std::uint32_t kEndSize = 5;
inline constexpr std::uint32_t kEndMark = 0x646e6577;

// How a step ended. The last three carry errno.
enum class StepEnd : std::uint8_t { exited, signalled, no_directory, no_exec, no_fork };

// The signals weir-init takes by sigtimedwait: blocked by the launcher before exec, so that none is lost on
// the way.
constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }
inline constexpr std::uint64_t kInitMask =
    signal_bit(SIGTERM) | signal_bit(SIGCHLD) | signal_bit(kLookSignal) | signal_bit(kOrphanSignal);

}  // namespace weir::init
