// One table of system call numbers as a program of seccomp: a binary search over the numbers, since the
// kernel tries out every number when a filter is installed.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>

namespace weir::init {

enum class CallRule : std::uint8_t {
  allowed,
  not_permitted,         // EPERM
  unknown,               // ENOSYS: programs that can do without take the older way
  namespaces,            // EPERM unless the job may have user namespaces
  namespaces_unknown,    // ENOSYS unless it may
  no_user_namespace,     // of flags in the first argument, EPERM unless it may
  no_file_capabilities,  // EOPNOTSUPP if it may
  usual_sockets,
  usual_personality,
  no_terminal_input,
};

struct FilteredCall {
  std::uint32_t number;
  CallRule rule;
};

// Expects the number of the call in the accumulator; every way through it ends in an answer.
struct CallTable {
  static constexpr std::uint32_t kRoom = 192;
  sock_filter code[kRoom];
  std::uint32_t size;
};

// Defined in files of their own, since the names of the numbers are the same. Second: user namespaces are
// allowed.
extern const CallTable kNativeCalls[2];
extern const CallTable kI386Calls[2];  // only on x86-64

namespace call_table {

// The newest system call that is known here (file_setattr, Linux 6.17). Later ones are unknown to a job, and
// so are those of x32, which have a bit of their own.
constexpr std::uint32_t kNewestCall = 469;

constexpr std::uint32_t kNotPermitted = 1;           // EPERM
constexpr std::uint32_t kNotSupportedFamily = 97;    // EAFNOSUPPORT
constexpr std::uint32_t kUnknown = 38;               // ENOSYS
constexpr std::uint32_t kNotSupported = 95;          // EOPNOTSUPP
constexpr std::uint32_t kNewUser = 0x10000000;       // CLONE_NEWUSER
constexpr std::uint32_t kTypeIntoTerminal = 0x5412;  // TIOCSTI
constexpr std::uint32_t kConsole = 0x541c;           // TIOCLINUX: it can paste
// PER_LINUX32, UNAME26 and ADDR_NO_RANDOMIZE: another name of the machine, and addresses that stay.
constexpr std::uint32_t kUsualPersonality = 0x0008 | 0x0020000 | 0x0040000;
constexpr std::uint32_t kAskPersonality = 0xffffffff;
// AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, as flatpak has it: not vsock, packets, CAN, Bluetooth, the
// kernel's ciphers.
constexpr std::uint32_t kFamilies[] = {1, 2, 10, 16};

// The low half of an argument, which is all that the kernel looks at in those that are looked at here.
constexpr std::uint32_t argument(unsigned which) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + which * sizeof(std::uint64_t));
}

void a_jump_is_too_far();  // never defined: a constant expression that calls it does not compile

class Writer {
 public:
  constexpr explicit Writer(CallTable& table) : table_(table) {}
  constexpr std::uint32_t size() const { return table_.size; }
  constexpr void put(std::uint16_t code, std::uint32_t value, std::uint32_t yes = 0, std::uint32_t no = 0) {
    if (yes > 255 || no > 255) a_jump_is_too_far();
    table_.code[table_.size++] = {code, static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), value};
  }
  constexpr void load(std::uint32_t offset) { put(BPF_LD | BPF_W | BPF_ABS, offset); }
  constexpr void allow() { put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  constexpr void refuse(std::uint32_t error) { put(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error); }
  constexpr void if_equal(std::uint32_t value, std::uint32_t yes, std::uint32_t no) {
    put(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
  }
  constexpr void if_any(std::uint32_t bits, std::uint32_t yes, std::uint32_t no) {
    put(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no);
  }

 private:
  CallTable& table_;
};

constexpr void write_sockets(Writer& out) {
  constexpr std::uint32_t kCount = sizeof kFamilies / sizeof *kFamilies;
  out.load(argument(0));
  for (std::uint32_t i = 0; i < kCount; ++i) out.if_equal(kFamilies[i], kCount - i, 0);
  out.refuse(kNotSupportedFamily);
  out.allow();
}

constexpr void write_personality(Writer& out) {
  out.load(argument(0));
  out.if_equal(kAskPersonality, 1, 0);
  out.if_any(~kUsualPersonality, 1, 0);
  out.allow();
  out.refuse(kNotPermitted);
}

constexpr void write_terminal_input(Writer& out) {
  out.load(argument(1));
  out.if_equal(kTypeIntoTerminal, 2, 0);
  out.if_equal(kConsole, 1, 0);
  out.allow();
  out.refuse(kNotPermitted);
}

constexpr void write_flags(Writer& out) {
  out.load(argument(0));
  out.if_any(kNewUser, 1, 0);
  out.allow();
  out.refuse(kNotPermitted);
}

constexpr void write_rule(Writer& out, CallRule rule) {
  switch (rule) {
    case CallRule::allowed: return out.allow();
    case CallRule::not_permitted:
    case CallRule::namespaces: return out.refuse(kNotPermitted);
    case CallRule::unknown:
    case CallRule::namespaces_unknown: return out.refuse(kUnknown);
    case CallRule::no_file_capabilities: return out.refuse(kNotSupported);
    case CallRule::no_user_namespace: return write_flags(out);
    case CallRule::usual_sockets: return write_sockets(out);
    case CallRule::usual_personality: return write_personality(out);
    case CallRule::no_terminal_input: return write_terminal_input(out);
  }
}

// From `first` on, up to the next one.
struct Range {
  std::uint32_t first = 0;
  CallRule rule = CallRule::allowed;
};

// The answers stand once, behind the search: the kernel takes 0.2 us for each instruction of a filter.
class Answers {
 public:
  constexpr explicit Answers(std::uint32_t from) {
    for (std::uint32_t rule = 0; rule < kRules; ++rule) {
      at_[rule] = from + table_.size;
      Writer out(table_);
      write_rule(out, static_cast<CallRule>(rule));
    }
  }
  constexpr std::uint32_t at(CallRule rule) const { return at_[static_cast<std::uint32_t>(rule)]; }
  constexpr void append_to(CallTable& table) const {
    for (std::uint32_t i = 0; i < table_.size; ++i) table.code[table.size++] = table_.code[i];
  }

 private:
  static constexpr auto kRules = static_cast<std::uint32_t>(CallRule::no_terminal_input) + 1;
  std::uint32_t at_[kRules] = {};
  CallTable table_ = {};
};

// One instruction less than there are ranges.
constexpr void write_search(Writer& out, const Range* ranges, std::uint32_t count, const Answers& answers) {
  if (count == 1) return;
  const auto half = count / 2, next = out.size() + 1;
  const auto lower = half == 1 ? answers.at(ranges->rule) : next;
  const auto upper = count - half == 1 ? answers.at(ranges[half].rule) : next + half - 1;
  out.put(BPF_JMP | BPF_JGE | BPF_K, ranges[half].first, upper - next, lower - next);
  write_search(out, ranges, half, answers);
  write_search(out, ranges + half, count - half, answers);
}

constexpr bool is_allowed(CallRule rule, bool user_namespaces) {
  switch (rule) {
    case CallRule::namespaces:
    case CallRule::namespaces_unknown:
    case CallRule::no_user_namespace: return user_namespaces;
    case CallRule::no_file_capabilities: return !user_namespaces;
    default: return false;
  }
}

template <std::size_t N>
constexpr CallTable make(const FilteredCall (&calls)[N], bool user_namespaces) {
  FilteredCall sorted[N] = {};
  for (std::size_t i = 0; i < N; ++i) {
    auto at = i;
    for (; at > 0 && sorted[at - 1].number > calls[i].number; --at) sorted[at] = sorted[at - 1];
    sorted[at] = calls[i];
  }
  Range ranges[2 * N + 2] = {};
  std::uint32_t count = 1;
  const auto add = [&](std::uint32_t first, CallRule rule) {
    if (ranges[count - 1].first == first) --count;
    if (count > 0 && ranges[count - 1].rule == rule) return;
    ranges[count++] = {first, rule};
  };
  for (const auto& call : sorted) {
    if (is_allowed(call.rule, user_namespaces)) continue;
    add(call.number, call.rule);
    add(call.number + 1, CallRule::allowed);
  }
  add(kNewestCall + 1, CallRule::unknown);
  CallTable table = {};
  Writer out(table);
  const Answers answers(count - 1);
  write_search(out, ranges, count, answers);
  answers.append_to(table);
  return table;
}

}  // namespace call_table
}  // namespace weir::init
