// Writes every event as a line of JSON: those of one turn of the loop together, since a small job tells a
// dozen of them, and all before the loop sleeps. So a reader follows a run as it goes, and a killed weir
// leaves a file that ends with a whole line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/model/event.h"

namespace weir {

class JsonLines final : public Observer {
 public:
  // "-" is standard output. A link of another user is refused.
  enum class Existing : std::uint8_t {
    none,  // in a folder that was made for it
    replace,
    append,
  };
  static Result<JsonLines> open(const std::string& path, Existing existing = Existing::replace);
  JsonLines(JsonLines&&) = default;
  JsonLines& operator=(JsonLines&&) = default;
  ~JsonLines() override { flush(); }
  // `post` has a call made when the turn is over. Without it every line is written at once. It must not move
  // any more.
  void write_by_turn(std::function<void(std::function<void()>)> post) { post_ = std::move(post); }
  void on_event(const Event& event) override;
  void flush();
  // Whether all events so far were written. A reader that went away is no trouble.
  const Status& written() const { return written_; }

 private:
  JsonLines(UniqueFd own, int fd, std::string name) : own_(std::move(own)), fd_(fd), name_(std::move(name)) {}
  UniqueFd own_;
  int fd_;
  std::string name_;  // for messages
  std::string lines_;
  std::function<void(std::function<void()>)> post_;
  bool posted_ = false;
  bool broken_ = false;  // nothing more is written; the run goes on
  Status written_;
};

}  // namespace weir
