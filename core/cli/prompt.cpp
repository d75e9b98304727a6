#include "core/cli/prompt.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <csignal>

#include "core/base/fd.h"
#include "core/base/print.h"
#include "core/cli/person.h"

extern "C" char** environ;

namespace weir::cli {

namespace {

struct Word {
  std::string_view text;
  Reply reply;
  bool only_failure;
  std::string_view what;
};
constexpr Word kWords[] = {
    {"continue", Reply::go_on, false, "go on"},
    {"quit", Reply::quit, false, "start nothing new, let running jobs end"},
    {"terminate", Reply::terminate, false, "stop running jobs and end"},
    {"retry", Reply::retry, true, "try it again with the same inputs"},
    {"log", Reply::log, true, "show all that it wrote"},
    {"shell", Reply::shell, true, "a shell in what it left"},
    {"help", Reply::help, false, "this"},
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The kernel tells when a child ends; the loop need not look for it.
int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

// weir itself, on this terminal.
pid_t start_weir(std::vector<std::string> words) {
  words.insert(words.begin(), "weir");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t usual;
  ::sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGINT, SIGTSTP, SIGTERM}) ::sigaddset(&usual, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error) weir::print(stderr, "weir: it cannot be started: {}\n", ::strerror(error));
  return error ? -1 : pid;
}

}  // namespace

std::optional<Reply> parse_reply(std::string_view text, bool about_failure) {
  text = trimmed(text);
  if (text == "?") return Reply::help;
  std::optional<Reply> found;
  for (const auto& word : kWords) {
    if (text.empty() || !word.text.starts_with(text) || (word.only_failure && !about_failure)) continue;
    if (found) return std::nullopt;
    found = word.reply;
  }
  return found;
}

std::string reply_words(bool about_failure) {
  return about_failure ? "continue, quit, terminate, retry, log or shell" : "continue, quit or terminate";
}

// Shared, because what was waited for may still come when the prompt is gone.
struct Prompt::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(Parts p) : parts(std::move(p)), terminal(parts.loop), child(parts.loop) {}

  void ask(const event::RunAsk& about) {
    failure = about.about == "failure";
    element = about.element.text;
    queue = about.queue.text;
    asking = true;
    if (!open_terminal()) return reply(Reply::quit);
    if (stopped_in_background()) return read();  // resumed() asks
    // What was typed before the question is no answer to it.
    ::tcflush(terminal.native_handle(), TCIFLUSH);
    if (!failure) weir::print(stderr, "interrupted: all jobs are suspended\n");
    question();
  }

  // Opened anew: what the loop does to a descriptor must not change that of the shell which started weir.
  bool open_terminal() {
    if (terminal.is_open()) return true;
    const int fd = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return false;
    terminal.assign(fd);
    return true;
  }

  void question() {
    weir::print(stderr, "{}? ", reply_words(failure));
    read();
  }

  // In the background the terminal is the shell's. Who wants something of it there is stopped, as by the
  // kernel, and the shell tells its user; with `fg` it goes on.
  bool stopped_in_background() {
    if (in_foreground()) return false;
    ::raise(SIGTTIN);
    return true;
  }

  void resumed() {
    if (asking && !aside && !stopped_in_background()) weir::print(stderr, "{}? ", reply_words(failure));
  }

  void read() {
    terminal.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](const boost::system::error_code& error) {
                          if (!error && self->asking) self->take_line();
                        });
  }

  void take_line() {
    if (stopped_in_background()) return read();
    char line[256];
    const auto got = ::read(terminal.native_handle(), line, sizeof line);
    if (got < 0 && errno == EINTR) return read();
    if (got <= 0) {  // Ctrl-D, or the terminal is gone
      weir::print(stderr, "quit\n");
      return reply(Reply::quit);
    }
    const std::string_view text(line, static_cast<std::size_t>(got));
    if (const auto meant = parse_reply(text, failure)) return reply(*meant);
    if (!trimmed(text).empty())
      weir::print(stderr, "\"{}\" is none of them, or more than one\n", trimmed(text));
    question();
  }

  void reply(Reply meant) {
    switch (meant) {
      case Reply::go_on: return give(input::Choice::go_on);
      case Reply::quit: return give(input::Choice::quit);
      case Reply::terminate: return give(input::Choice::terminate);
      case Reply::retry: return give(input::Choice::retry);
      case Reply::log: return run({"log", "--run", std::to_string(parts.run), "--queue", queue, element});
      case Reply::shell: return shell();
      case Reply::help: return help();
    }
  }

  void give(input::Choice choice) {
    asking = false;
    parts.answer(choice);
  }

  void help() {
    for (const auto& word : kWords)
      if (failure || !word.only_failure) weir::print(stderr, "  {:<10} {}\n", word.text, word.what);
    question();
  }

  void shell() {
    std::vector<std::string> words{"shell", "--failed"};
    words.insert(words.end(), parts.shell_options.begin(), parts.shell_options.end());
    words.push_back(element);
    run(std::move(words));
  }

  void run(std::vector<std::string> words) {
    words.insert(words.begin(), parts.weir.begin(), parts.weir.end());
    parts.lend();
    const auto pid = start_weir(std::move(words));
    if (pid < 0) return back();
    const int pidfd = open_pidfd(pid);
    if (pidfd < 0) {
      ::waitpid(pid, nullptr, 0);
      return back();
    }
    child.assign(pidfd);
    aside = true;
    child.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this(), pid](const boost::system::error_code&) {
                       ::waitpid(pid, nullptr, 0);
                       boost::system::error_code ignored;
                       self->child.close(ignored);
                       self->aside = false;
                       self->back();
                     });
  }

  void back() {
    parts.take_back();
    if (asking) question();
  }

  void stop() {
    asking = false;
    boost::system::error_code ignored;
    if (terminal.is_open()) terminal.cancel(ignored);
  }

  Parts parts;
  boost::asio::posix::stream_descriptor terminal, child;
  bool failure = false, asking = false, aside = false;
  std::string element, queue;
};

Prompt::Prompt(Parts parts) : impl_(std::make_shared<Impl>(std::move(parts))) {}

Prompt::~Prompt() { impl_->stop(); }

void Prompt::on_event(const Event& event) {
  if (const auto* ask = event.as<event::RunAsk>()) impl_->ask(*ask);
  const auto* control = event.as<event::Control>();
  const bool withdrawn = impl_->asking && control && control->what == "answer";
  if (withdrawn) weir::print(stderr, "\n");
  if (withdrawn || event.as<event::RunEnd>()) impl_->stop();
}

void Prompt::resumed() { impl_->resumed(); }

bool Prompt::aside() const { return impl_->aside; }

}  // namespace weir::cli
