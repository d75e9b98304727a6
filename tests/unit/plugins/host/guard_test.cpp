#include "plugins/host/guard.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include "plugins/host/sanitized.h"

namespace weir {
namespace {

// What a thread is when its function was left: values of keys are destroyed after that.
struct Left {
  const char* file = "not looked at";
  bool has_handler_stack = true;
};

void look_at(void* given) {
  auto& left = *static_cast<Left*>(given);
  left.file = in_plugin().file;
  stack_t stack{};
  left.has_handler_stack = ::sigaltstack(nullptr, &stack) == 0 && !(stack.ss_flags & SS_DISABLE);
}

pthread_key_t key_of_left() {
  static const auto key = [] {
    pthread_key_t made{};
    ::pthread_key_create(&made, look_at);
    return made;
  }();
  return key;
}

void* run_and_exit(void* left) {
  ::pthread_setspecific(key_of_left(), left);
  run_on_thread_of("/p/remote-foo.so", [] {
    EXPECT_STREQ(in_plugin().file, "/p/remote-foo.so");
    ::pthread_exit(nullptr);
  });
  return nullptr;
}

// The handler of a crash would have run on memory that was freed.
TEST(Guard, a_thread_that_a_plugin_ends_by_pthread_exit_is_its_no_more) {
  Left left;
  pthread_t thread{};
  ASSERT_EQ(::pthread_create(&thread, nullptr, run_and_exit, &left), 0);
  ::pthread_join(thread, nullptr);
  EXPECT_EQ(left.file, nullptr);
  EXPECT_FALSE(!kSanitizedBuild && left.has_handler_stack);
}

TEST(Guard, an_operation_is_known_until_all_of_the_plugin_ended) {
  const std::string file = "/p/remote-counted.so";
  EXPECT_EQ(running_operation(file.c_str()), nullptr);
  note_operation(file, "get");
  note_operation(file, "put");
  note_ends(file, 1);
  EXPECT_STREQ(running_operation(file.c_str()), "put");
  EXPECT_EQ(running_operation("/p/remote-other.so"), nullptr);
  note_ends(file, 1);
  EXPECT_EQ(running_operation(file.c_str()), nullptr);
}

// clang 14 does not define what gcc does.
TEST(Guard, knows_whether_a_sanitizer_is_here) {
  const bool is_here = ::dlsym(RTLD_DEFAULT, "__asan_init") || ::dlsym(RTLD_DEFAULT, "__tsan_init");
  EXPECT_EQ(kSanitizedBuild, is_here);
}

}  // namespace
}  // namespace weir
