// A child whose use of the machine is known.
//   use MIB PROCESSES CPU_MS   that many processes, each touching MIB, keeping it until the gate opens and
//                              burning CPU_MS of CPU time
//   spike MIB PROCESSES CPU_MS the same, but the memory is given back before the gate opens
//   vfork MIB 1 CPU_MS         touches MIB and keeps it; CPU_MS are burnt by a child that shares its memory
//   count FILE                 counts in the first 8 bytes of FILE for ever, says "counting" when it has
//                              begun
//   fork FILE                  the same, but each count is a new process in a session of its own
// The gate is the fifo "gate" in the directory where it runs: open when nobody holds it open for writing any
// more.
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

void wait_for(int gate) {
  char byte;
  if (read(gate, &byte, 1) != 0) _exit(1);
}

void use(std::size_t mebibytes, long milliseconds, bool is_spike, int gate) {
  const auto size = mebibytes << 20;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(memory, 1, size);
  if (is_spike) munmap(memory, size);
  wait_for(gate);
  burn_until(milliseconds);
}

void burn_in_shared_memory(std::size_t mebibytes, long milliseconds, int gate) {
  const auto size = mebibytes << 20;
  std::memset(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, size);
  if (vfork() == 0) {
    wait_for(gate);
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
  if (argc == 5) {
    const auto mebibytes = std::strtoul(argv[2], nullptr, 10);
    const auto milliseconds = std::atol(argv[4]);
    const bool is_spike = mode == "spike";
    const int gate = open("gate", O_RDONLY);
    if (gate < 0) return 1;
    if (mode == "vfork") return burn_in_shared_memory(mebibytes, milliseconds, gate), 0;
    for (int others = std::atoi(argv[3]) - 1; others > 0; --others)
      if (fork() == 0) {
        use(mebibytes, milliseconds, is_spike, gate);
        _exit(0);
      }
    use(mebibytes, milliseconds, is_spike, gate);
    while (wait(nullptr) > 0) {
    }
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
