// A child whose use of the machine is known.
//   use MIB PROCESSES CPU_MS   that many processes, each touching MIB, saying "ready" and burning CPU_MS of
//                              CPU time
//   spike MIB PROCESSES CPU_MS the same, but the memory is given back at once, before CPU time is burnt
//   vfork MIB 1 CPU_MS         touches MIB; CPU_MS are burnt by a child that shares its memory
//   count FILE                 counts in the first 8 bytes of FILE for ever, says "counting" when it has
//                              begun
//   fork FILE                  the same, but each count is a new process in a session of its own
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

void burn_until(long milliseconds) {
  timespec now;
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  while (now.tv_sec * 1000 + now.tv_nsec / 1'000'000 < milliseconds);
}

// The memory goes back before the end: taking 150 MiB apart at exit cost 40 ms on a busy machine, which the
// process itself could not have seen on its clock.
void use(std::size_t mebibytes, long milliseconds, bool is_spike) {
  const auto size = mebibytes << 20;
  void* memory = mmap(nullptr, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(memory, 1, size);
  if (write(1, "ready\n", 6) != 6) _exit(1);
  if (!is_spike) burn_until(milliseconds * 8 / 10);
  munmap(memory, size + 1);
  burn_until(milliseconds);
}

void burn_in_shared_memory(std::size_t mebibytes, long milliseconds) {
  const auto size = mebibytes << 20;
  std::memset(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, size);
  if (vfork() == 0) {
    burn_until(milliseconds);
    _exit(0);
  }
}

volatile std::uint64_t* open_counter(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0666);
  if (file < 0 || ftruncate(file, 8) != 0) _exit(1);
  return static_cast<volatile std::uint64_t*>(mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
}

void say_counting() {
  if (write(1, "counting\n", 9) != 9) _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const bool is_spike = mode == "spike";
  if ((mode == "use" || is_spike) && argc == 5) {
    const int others = std::atoi(argv[3]) - 1;
    for (int i = 0; i < others; ++i)
      if (fork() == 0) {
        use(std::strtoul(argv[2], nullptr, 10), std::atol(argv[4]), is_spike);
        _exit(0);
      }
    use(std::strtoul(argv[2], nullptr, 10), std::atol(argv[4]), is_spike);
    while (wait(nullptr) > 0) {
    }
    return 0;
  }
  if (mode == "vfork" && argc == 5) {
    burn_in_shared_memory(std::strtoul(argv[2], nullptr, 10), std::atol(argv[4]));
    return 0;
  }
  if (argc != 3) return 2;
  auto* counter = open_counter(argv[2]);
  *counter = 1;
  say_counting();
  if (mode == "count")
    for (;;) *counter = *counter + 1;
  for (;;) {
    if (fork() > 0) _exit(0);  // the parent goes, the child is a new orphan in a new session
    setsid();
    *counter = *counter + 1;
  }
}
