#include "core/exec/outer_jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <charconv>
#include <utility>

namespace weir {

namespace {

constexpr std::string_view kRemedy =
    "put a + before the command in the makefile, so that make lets weir have its jobserver";

// The words of MAKEFLAGS up to "--", where variables begin. A backslash keeps the next character.
std::vector<std::string> words_of(std::string_view flags) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == '\\' && i + 1 < flags.size()) words.back() += flags[++i];
    else if (flags[i] != ' ' && flags[i] != '\t') words.back() += flags[i];
    else if (words.back() == "--") break;
    else if (!words.back().empty()) words.emplace_back();
  }
  if (words.back() == "--" || words.back().empty()) words.pop_back();
  return words;
}

// "3,4"; anything else is no address.
bool parse_numbers(std::string_view text, JobserverAddress& address) {
  const auto* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, address.reader);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ',') return false;
  const auto second = std::from_chars(first.ptr + 1, end, address.writer);
  return second.ec == std::errc{} && second.ptr == end;
}

// Make numbers descriptors that a command may not have as negative ones.
Status check_end(int fd, int unwanted) {
  struct stat file;
  if (fd < 0 || ::fstat(fd, &file) != 0)
    return fail(Reason::usage, fmt::format("descriptor {} is not open", fd), std::string(kRemedy));
  if (!S_ISFIFO(file.st_mode))
    return fail(Reason::usage, fmt::format("descriptor {} is no pipe", fd), std::string(kRemedy));
  if ((::fcntl(fd, F_GETFL) & O_ACCMODE) == unwanted)
    return fail(Reason::usage,
                fmt::format("descriptor {} cannot be {}", fd, unwanted == O_WRONLY ? "read" : "written to"));
  return {};
}

UniqueFd open_anew(int fd, int mode) {
  return UniqueFd(::open(fmt::format("/proc/self/fd/{}", fd).c_str(), mode | O_NONBLOCK | O_CLOEXEC));
}

Result<JobserverEnds> open_pipe(const JobserverAddress& address) {
  if (auto good = check_end(address.reader, O_WRONLY); !good) return tl::unexpected(good.error());
  if (auto good = check_end(address.writer, O_RDONLY); !good) return tl::unexpected(good.error());
  JobserverEnds ends{open_anew(address.reader, O_RDONLY),
                     UniqueFd(::fcntl(address.writer, F_DUPFD_CLOEXEC, 3))};
  if (!ends.reader && (::fcntl(address.reader, F_GETFL) & O_NONBLOCK) != 0)
    ends.reader = UniqueFd(::fcntl(address.reader, F_DUPFD_CLOEXEC, 3));
  if (!ends.reader || !ends.writer) return fail_errno("opening the jobserver of make");
  return ends;
}

Result<JobserverEnds> open_fifo(const std::string& path) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) return fail_errno("opening the jobserver " + path);
  if (!S_ISFIFO(file.st_mode)) return fail(Reason::usage, fmt::format("{} is no fifo", path));
  // For both, so that it is never at its end.
  JobserverEnds ends{UniqueFd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)), {}};
  if (ends.reader) ends.writer = UniqueFd(::fcntl(ends.reader.get(), F_DUPFD_CLOEXEC, 3));
  if (!ends.reader || !ends.writer) return fail_errno("opening the jobserver " + path);
  return ends;
}

// They fit: they were there before. All the same nobody waits here for ever.
void write_back(int fd, char token) {
  constexpr int kPatience = 1000;  // ms
  for (int tries = 0; tries < 3;) {
    if (::write(fd, &token, 1) == 1) return;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return;
    pollfd room{fd, POLLOUT, 0};
    ::poll(&room, 1, kPatience);
    ++tries;
  }
}

}  // namespace

std::optional<JobserverAddress> parse_make_flags(std::string_view flags) {
  std::optional<JobserverAddress> found;
  for (const auto& word : words_of(flags)) {
    std::string_view value;
    for (const std::string_view name : {"--jobserver-auth=", "--jobserver-fds="})
      if (word.starts_with(name)) value = std::string_view(word).substr(name.size());
    if (value.empty()) continue;
    JobserverAddress address;
    constexpr std::string_view kFifo = "fifo:";
    if (value.starts_with(kFifo)) address.fifo = value.substr(kFifo.size());
    else if (!parse_numbers(value, address)) address = {};  // one that nobody can open: told as such
    found = std::move(address);
  }
  return found;
}

Result<JobserverEnds> open_jobserver(const JobserverAddress& address) {
  return address.fifo.empty() ? open_pipe(address) : open_fifo(address.fifo);
}

// Shared with the handler that waits, which may be called after the end.
struct OuterJobserver::Impl : std::enable_shared_from_this<Impl> {
  Impl(boost::asio::io_context& loop, JobserverEnds ends, std::function<void()> tell)
      : reader(loop), writer(std::move(ends.writer)), news(std::move(tell)) {
    reader.assign(ends.reader.release());
  }

  void wait() {
    if (waiting || held.size() >= wanted) return;
    waiting = true;
    reader.async_wait(reader.wait_read, [self = shared_from_this()](boost::system::error_code error) {
      self->waiting = false;
      if (error || !self->news) return;
      self->take();
    });
  }
  // Only what is wanted now: it may have become less since.
  void take() {
    char token;
    bool any = false;
    while (held.size() < wanted) {
      const auto got = ::read(reader.native_handle(), &token, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) wanted = held.size();  // that make is gone
      if (got <= 0) break;
      held.push_back(token);
      any = true;
    }
    wait();
    if (any) news();
  }
  void give_back() {
    while (held.size() > wanted) {
      write_back(writer.get(), held.back());
      held.pop_back();
    }
  }

  boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type> reader;
  UniqueFd writer;
  std::function<void()> news;
  std::vector<char> held;
  std::size_t wanted = 0;
  bool waiting = false;
};

OuterJobserver::OuterJobserver(boost::asio::io_context& loop, JobserverEnds ends, std::function<void()> news)
    : impl_(std::make_shared<Impl>(loop, std::move(ends), std::move(news))) {}

OuterJobserver::~OuterJobserver() {
  impl_->news = nullptr;
  want(0);
  boost::system::error_code ignored;
  impl_->reader.close(ignored);
}

std::size_t OuterJobserver::held() const { return impl_->held.size(); }

void OuterJobserver::want(std::size_t tokens) {
  impl_->wanted = tokens;
  impl_->give_back();
  impl_->wait();
}

}  // namespace weir
