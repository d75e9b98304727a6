#include "plugins/host/in_child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/fd.h"
#include "plugins/host/sanitized.h"
#include "plugins/host/seal.h"

namespace weir {
namespace {

using How = ChildReport::How;

constexpr auto kLong = std::chrono::seconds(60);

// A sanitizer makes something else of a crash.
#if WEIR_SANITIZED
#define WEIR_WITHOUT_SANITIZER() GTEST_SKIP() << "a sanitizer handles this itself"
#else
#define WEIR_WITHOUT_SANITIZER() static_cast<void>(0)
#endif

TEST(InChild, what_it_reports_is_the_text) {
  const auto report = in_child(kLong, [](int to) { write_all(to, std::string(1 << 20, 'x')); });
  EXPECT_TRUE(report.finished());
  EXPECT_EQ(report.text.size(), std::size_t{1 << 20}) << "more than a pipe holds";
}

TEST(InChild, it_keeps_nothing) {
  int own = 1;
  EXPECT_TRUE(in_child(kLong, [&](int) { own = 2; }).finished());
  EXPECT_EQ(own, 1);
}

TEST(InChild, a_crash_is_an_answer) {
  WEIR_WITHOUT_SANITIZER();
  const auto report = in_child(kLong, [](int to) {
    write_all(to, "before");
    ::raise(SIGSEGV);
  });
  EXPECT_EQ(report.how, How::crashed);
  EXPECT_EQ(report.number, SIGSEGV);
  EXPECT_EQ(report.text, "before");
  EXPECT_EQ(to_text(report, kLong), "crashed (SIGSEGV)");
}

TEST(InChild, the_end_of_the_process_is_an_answer) {
  for (const auto& leave : {std::function<void(int)>([](int) { std::exit(0); }),
                            std::function<void(int)>([](int) { ::_exit(0); })}) {
    const auto report = in_child(kLong, leave);
    EXPECT_EQ(report.how, How::left);
    EXPECT_EQ(to_text(report, kLong), "ended the process (exit code 0)");
  }
  EXPECT_EQ(in_child(kLong, [](int) { ::_exit(7); }).number, 7);
}

TEST(InChild, one_that_does_not_end_is_killed) {
  const auto limit = std::chrono::seconds(1);
  const auto report = in_child(limit, [](int) {
    for (;;) ::pause();
  });
  EXPECT_EQ(report.how, How::hung);
  EXPECT_EQ(to_text(report, limit), "did not answer in 1 s and was killed");
}

TEST(InChild, what_it_prints_goes_nowhere) {
  testing::internal::CaptureStdout();
  in_child(kLong, [](int) { write_all(1, "hello"); });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Seal, calls_are_reported_and_do_nothing) {
  WEIR_WITHOUT_SANITIZER();
  const auto report = in_child(kLong, [](int to) {
    if (!seal_process(to)) return void(write_all(to, "no seccomp"));
    write_all(to, ::open("/etc/passwd", O_RDONLY) < 0 && errno == EPERM ? "refused\n" : "opened\n");
    void* volatile memory = std::malloc(10 << 20);
    std::free(memory);
  });
  if (report.text == "no seccomp") GTEST_SKIP() << report.text;
  EXPECT_TRUE(report.finished()) << to_text(report, kLong);
  EXPECT_EQ(report.text, "{\"called\":" + std::to_string(SYS_openat) + "}\nrefused\n");
  EXPECT_EQ(system_call_name(SYS_openat), "openat");
  EXPECT_EQ(system_call_name(99999), "system call 99999");
}

}  // namespace
}  // namespace weir
