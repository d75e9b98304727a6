// Calls of libc that a plugin can end weir with, or start a thread with that weir knows nothing of. Defined
// in the program, they are found before those of libc by all libraries that are loaded later, and by no code
// inside of libc. A plugin that makes the system call itself is not
// seen.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>

#include "plugins/host/guard.h"
#include "plugins/host/sanitized.h"

// A sanitizer has calls of its own in their place.
#if !WEIR_SANITIZED

extern "C" char __executable_start, etext;  // NOLINT: names of the linker

namespace weir {

namespace {

// A child of weir between fork and exec calls _exit too: nothing but comparing addresses is done there.
bool is_code_of_weir(const void* address) { return address >= &__executable_start && address < &etext; }

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct ThreadOfPlugin {
  std::string file;
  void* (*start)(void*);
  void* argument;
};

void* run_thread_of_plugin(void* given) {
  const std::unique_ptr<ThreadOfPlugin> thread(static_cast<ThreadOfPlugin*>(given));
  void* result = nullptr;
  run_on_thread_of(thread->file, [&] { result = thread->start(thread->argument); });
  return result;
}

[[noreturn]] void leave(int status) {
  for (;;) ::syscall(SYS_exit_group, status);
}

// A child of a plugin leaves without a word and without weir's handlers: what it copied of weir may be locked
// by a thread that it does not have.
void stop_if_unasked(const void* caller, const char* how, int status) {
  if (is_code_of_weir(caller)) return;
  if (is_forked_by_plugin()) leave(status);
  stop_unasked_exit(caller, how);
}

}  // namespace

}  // namespace weir

extern "C" {

void _exit(int status) {
  weir::stop_if_unasked(__builtin_return_address(0), "called _exit()", status);
  weir::leave(status);
}

void _Exit(int status) {
  weir::stop_if_unasked(__builtin_return_address(0), "called _exit()", status);
  weir::leave(status);
}

void exit(int status) {
  weir::stop_if_unasked(__builtin_return_address(0), "called exit()", status);
  weir::next_of<void(int)>("exit")(status);
  weir::leave(status);
}

void quick_exit(int status) {
  weir::stop_if_unasked(__builtin_return_address(0), "called exit()", status);
  weir::next_of<void(int)>("quick_exit")(status);
  weir::leave(status);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  static auto* const create =
      weir::next_of<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  const auto where = weir::in_plugin();
  if (!where.file) return create(thread, attributes, start, argument);
  auto made = std::make_unique<weir::ThreadOfPlugin>(weir::ThreadOfPlugin{where.file, start, argument});
  const int error = create(thread, attributes, weir::run_thread_of_plugin, made.get());
  if (error == 0) (void)made.release();
  return error;
}

}  // extern "C"

#endif
