#include "core/exec/tool_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <cerrno>

#include "core/exec/await_child.h"

namespace weir {

namespace {

constexpr std::size_t kMost = 64 * 1024;

// To the end of the output, or of the time.
void read_all(int fd, Time deadline, std::string& text) {
  const SteadyClock clock;
  for (std::array<char, 4096> buffer;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock.now()).count();
    pollfd waiting{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) == 0) return;
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    if (text.size() < kMost) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<std::string> read_tool_output(std::vector<std::string> words, Duration timeout) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("making a pipe");
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return fail_errno("opening /dev/null");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  char locale[] = "LC_ALL=C.UTF-8";
  char* const environment[] = {path, locale, nullptr};
  const int fds[] = {null.get(), writer.get(), null.get()};
  SpawnRequest request;
  request.path = words.front().c_str();
  request.directory =
      "/";  // where a tool finds no settings of a project, which may name programs (mvn, bazel)
  request.argv = argv.data();
  request.environment = environment;
  request.fds = fds;
  const auto child = spawn(request);
  if (child.stage != SpawnStage::none) return fail_errno("starting " + words.front(), child.error);
  writer.reset();
  std::string text;
  const auto deadline = SteadyClock().now() + timeout;
  read_all(reader.get(), deadline, text);
  const auto end = await_child(child, deadline - SteadyClock().now());
  if (!end.in_time) return fail(Reason::resources, fmt::format("{} took too long", words.front()));
  if (!end.good()) return fail(Reason::system, fmt::format("{} ended with {}", words.front(), end.status));
  return text;
}

}  // namespace weir
