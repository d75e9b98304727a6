// Writes every event as a line of JSON. Each line is written at once, so that a reader follows a run as it goes and a
// killed weir leaves a file that ends with a whole line.
#pragma once

#include <string>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/model/event.h"

namespace weir {

class JsonLines final : public Observer {
 public:
  // "-" is standard output.
  static Result<JsonLines> open(const std::string& path);
  void on_event(const Event& event) override;

 private:
  JsonLines(UniqueFd own, int fd) : own_(std::move(own)), fd_(fd) {}
  UniqueFd own_;
  int fd_;
  std::string line_;
  bool broken_ = false;  // a reader that went away ends the writing, not the run
};

}  // namespace weir
