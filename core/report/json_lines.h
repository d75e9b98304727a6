// Writes every event as a line of JSON: those of one turn of the loop together, since a small job tells a
// dozen of them, and all before the loop sleeps. So a reader follows a run as it goes, and a killed weir
// leaves a file that ends with a whole line.
#pragma once

#include <functional>
#include <string>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/model/event.h"

namespace weir {

class JsonLines final : public Observer {
 public:
  // "-" is standard output.
  static Result<JsonLines> open(const std::string& path);
  JsonLines(JsonLines&&) = default;
  JsonLines& operator=(JsonLines&&) = default;
  ~JsonLines() override { flush(); }
  // `post` has a call made when the turn is over. Without it every line is written at once. It must not move
  // any more.
  void write_by_turn(std::function<void(std::function<void()>)> post) { post_ = std::move(post); }
  void on_event(const Event& event) override;
  void flush();

 private:
  JsonLines(UniqueFd own, int fd) : own_(std::move(own)), fd_(fd) {}
  UniqueFd own_;
  int fd_;
  std::string lines_;
  std::function<void(std::function<void()>)> post_;
  bool posted_ = false;
  bool broken_ = false;  // a reader that went away ends the writing, not the run
};

}  // namespace weir
