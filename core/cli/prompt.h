// Asks the person at the terminal what to do about a failure, or after Ctrl-C, while all jobs are suspended.
// Beginnings of words are enough. `log` and `shell` are done at once, as commands of weir on the same
// terminal; then it asks again.
//
// Thread: the loop's. Nothing blocks: the answer is waited for by the loop, and so is the end of such a
// command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/event.h"
#include "core/scheduler/input.h"

namespace boost::asio {
class io_context;
}

namespace weir::cli {

enum class Reply : std::uint8_t { go_on, quit, terminate, retry, log, shell, help };

// What the person may have meant: the one word that begins so. Nothing: none, or several do.
std::optional<Reply> parse_reply(std::string_view text, bool about_failure);
// "continue, quit, terminate, retry, log or shell"
std::string reply_words(bool about_failure);

class Prompt final : public Observer {
 public:
  struct Parts {
    boost::asio::io_context& loop;
    std::function<void(input::Choice)> answer;
    // Words of weir before "log" and "shell": where the project is.
    std::vector<std::string> weir;
    std::vector<std::string> shell_options;
    std::uint64_t run = 0;
    // Around a command that uses the files of the run.
    std::function<void()> lend, take_back;
  };
  explicit Prompt(Parts parts);
  ~Prompt() override;

  void on_event(const Event& event) override;
  // weir was stopped and goes on: the question stands again at the end of the screen.
  void resumed();
  // A command of the person's has the terminal: signals of the terminal are its own.
  bool aside() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace weir::cli
