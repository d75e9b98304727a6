#include "core/exec/weir_init/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "core/exec/init_protocol.h"
#include "core/exec/weir_init/call_table.h"

namespace weir::init {
namespace {

class Program {
 public:
  void put(std::uint16_t code, std::uint32_t value, std::uint8_t yes = 0, std::uint8_t no = 0) {
    code_[size_++] = {code, yes, no, value};
  }
  void append(const CallTable& table) {
    __builtin_memcpy(code_ + size_, table.code, table.size * sizeof *code_);
    size_ += table.size;
  }
  // What follows is for that machine, and is jumped over for others, whose number stays in the accumulator.
  void for_machine(std::uint32_t machine, const CallTable& table) {
    put(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0);
    put(BPF_JMP | BPF_JA, table.size + 1);
    put(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    append(table);
  }
  bool install() {
    sock_fprog program{size_, code_};
    constexpr long kSpeculate = SECCOMP_FILTER_FLAG_SPEC_ALLOW;  // older kernels slow all of a job down else
    return set(kSpeculate, program) || set(0, program);
  }

 private:
  static bool set(long flags, sock_fprog& program) {
    return syscall(SYS_seccomp, static_cast<long>(SECCOMP_SET_MODE_FILTER), flags, &program) == 0;
  }
  sock_filter code_[2 * CallTable::kRoom + 8];
  unsigned short size_ = 0;
};

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
#error "the filter of system calls needs the name that seccomp has for this machine"
#endif

bool install_filter(bool user_namespaces) {
  Program program;
  program.put(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  program.for_machine(kMachine, kNativeCalls[user_namespaces]);
#if defined(__x86_64__)
  program.for_machine(AUDIT_ARCH_I386, kI386Calls[user_namespaces]);
#endif
  program.put(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | call_table::kUnknown);
  return program.install();
}

}  // namespace

void confine(bool user_namespaces) {
  // Without an answer that counts: a kernel, or a container around weir, may refuse all that has to do with
  // keys, and the filter refuses it to the job anyway.
  syscall(SYS_keyctl, static_cast<long>(KEYCTL_JOIN_SESSION_KEYRING), 0L, 0L);
  // A job has the same user. Now it can neither trace this process nor open its memory, its plan and its
  // descriptors through /proc.
  if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0 ||
      !install_filter(user_namespaces))
    _exit(kExitNoFilter);
}

}  // namespace weir::init
