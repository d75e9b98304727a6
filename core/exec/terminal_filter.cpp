#include "core/exec/terminal_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>
#include <string_view>

namespace weir {

#if defined(__x86_64__)

namespace {

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
// Over `yes` or `no` instructions.
constexpr sock_filter if_equal(std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}
constexpr sock_filter answer(std::uint32_t value) { return BPF_STMT(BPF_RET | BPF_K, value); }

// The kernel looks at the low half of the request only, and so does this.
constexpr std::size_t kRequest = offsetof(seccomp_data, args) + sizeof(std::uint64_t);

// Programs of 32 bits and of the x32 ABI run on the same machine and have numbers of their own.
constexpr std::uint32_t kIoctl32 = 54;
constexpr std::uint32_t kIoctlX32 = 0x40000000 + 514;
constexpr sock_filter kFilter[] = {
    load(offsetof(seccomp_data, arch)),
    if_equal(AUDIT_ARCH_X86_64, 0, 3),
    load(offsetof(seccomp_data, nr)),
    if_equal(SYS_ioctl, 4, 0),
    if_equal(kIoctlX32, 3, 6),
    if_equal(AUDIT_ARCH_I386, 0, 5),
    load(offsetof(seccomp_data, nr)),
    if_equal(kIoctl32, 0, 3),
    load(kRequest),
    if_equal(TIOCSTI, 2, 0),
    if_equal(TIOCLINUX, 1, 0),
    answer(SECCOMP_RET_ALLOW),
    answer(SECCOMP_RET_ERRNO | EPERM),
};

}  // namespace

Result<UniqueFd> make_terminal_filter() {
  UniqueFd file(::memfd_create("weir-filter", MFD_CLOEXEC));
  const std::string_view bytes(reinterpret_cast<const char*>(kFilter), sizeof kFilter);
  if (!file || !write_all(file.get(), bytes) || ::lseek(file.get(), 0, SEEK_SET) != 0)
    return fail_errno("making the filter of a sandbox");
  return file;
}

#else

Result<UniqueFd> make_terminal_filter() { return UniqueFd(); }

#endif

}  // namespace weir
