#include "core/exec/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace weir {

namespace {

constexpr char kToken = '+';  // as make writes it

struct TokenPipe {
  UniqueFd reader, writer, own;
};

// `own` is another description of the same pipe: opened by its name below /proc.
Result<TokenPipe> make_token_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("making the jobserver of a job");
  TokenPipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1]), {}};
  pipe.own =
      UniqueFd(::open(fmt::format("/proc/self/fd/{}", ends[0]).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!pipe.own) return fail_errno("opening the jobserver of a job");
  return pipe;
}

std::uint32_t bytes_in(int fd) {
  int count = 0;
  return fd >= 0 && ::ioctl(fd, FIONREAD, &count) == 0 && count > 0 ? static_cast<std::uint32_t>(count) : 0;
}

std::uint32_t read_some(int fd, std::uint32_t most) {
  std::array<char, 256> buffer;
  std::uint32_t all = 0;
  while (all < most) {
    const auto got = ::read(fd, buffer.data(), std::min<std::size_t>(buffer.size(), most - all));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    all += static_cast<std::uint32_t>(got);
  }
  return all;
}

std::string before_ours(std::string_view of_user) {
  return of_user.empty() ? std::string() : std::string(of_user) + " ";
}

}  // namespace

Result<Jobserver> Jobserver::make(Form form, const std::string& path, std::uint32_t cores) {
  Jobserver server;
  server.form_ = form;
  if (form == Form::fifo) {
    if (::mkfifo(path.c_str(), 0600) != 0) return fail_errno("making the jobserver " + path);
    server.path_ = path;
    server.tokens_ = UniqueFd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!server.tokens_) return fail_errno("opening the jobserver " + path);
  } else {
    auto tokens = make_token_pipe();
    if (!tokens) return tl::unexpected(tokens.error());
    server.job_reader_ = std::move(tokens->reader);
    server.job_writer_ = std::move(tokens->writer);
    server.tokens_ = std::move(tokens->own);
  }
  if (form == Form::two_pipes) {
    auto returns = make_token_pipe();
    if (!returns) return tl::unexpected(returns.error());
    server.job_writer_ = std::move(returns->writer);
    server.returns_ = std::move(returns->own);
  }
  server.cores_ = server.wanted_ = std::max<std::uint32_t>(1, cores);
  server.give(server.cores_ - 1);
  return server;
}

Jobserver::~Jobserver() {
  if (tokens_ && !path_.empty()) ::unlink(path_.c_str());
}

void Jobserver::give(std::uint32_t tokens) {
  std::array<char, 256> bytes;
  bytes.fill(kToken);
  while (tokens > 0) {
    const auto written = ::write(tokens_.get(), bytes.data(), std::min<std::size_t>(bytes.size(), tokens));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // full of what somebody else put there
    tokens -= static_cast<std::uint32_t>(written);
  }
}

void Jobserver::take_unused() {
  if (is_owed()) cores_ -= read_some(tokens_.get(), cores_ - wanted_);
}

void Jobserver::set(std::uint32_t cores) {
  wanted_ = std::max<std::uint32_t>(1, cores);
  if (wanted_ > cores_) {
    give(wanted_ - cores_);
    cores_ = wanted_;
  }
  if (form_ == Form::two_pipes) take_returns();
  take_unused();
}

void Jobserver::take_returns() {
  if (form_ != Form::two_pipes) return take_unused();
  // All of it, also what is no token: a job that writes more than it read gets no more than its cores.
  constexpr std::uint32_t kAtOnce = 4096;
  auto back = read_some(returns_.get(), kAtOnce);
  const auto kept = std::min(back, cores_ - std::min(wanted_, cores_));
  cores_ -= kept;
  back -= kept;
  const auto there = bytes_in(tokens_.get());
  give(std::min(back, cores_ - 1 - std::min(there, cores_ - 1)));
}

void Jobserver::renew() {
  constexpr std::uint32_t kAll = 1 << 20;
  read_some(tokens_.get(), kAll);
  if (returns_) read_some(returns_.get(), kAll);
  cores_ = wanted_;
  give(cores_ - 1);
}

std::uint32_t Jobserver::unused() const {
  return bytes_in(tokens_.get()) + (returns_ ? bytes_in(returns_.get()) : 0);
}

std::string make_flags(std::string_view of_user, int reader, int writer) {
  return fmt::format("{0}-j --jobserver-fds={1},{2} --jobserver-auth={1},{2}", before_ours(of_user), reader,
                     writer);
}

std::string make_flags(std::string_view of_user, std::string_view fifo) {
  return fmt::format("{}-j --jobserver-auth=fifo:{}", before_ours(of_user), fifo);
}

}  // namespace weir
