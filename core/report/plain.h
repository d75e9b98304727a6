// A run as plain lines for people: what started, what ended and how, the end of the log of what failed, and a summary.
// Everything it knows comes from events; logs are read from the files of the run. Nothing of a job reaches the terminal
// unfiltered: escape sequences and control characters are taken out.
#pragma once

#include <cstdio>
#include <map>
#include <string>

#include "core/model/event.h"

namespace weir {

class PlainReport final : public Observer {
 public:
  enum class Volume : std::uint8_t { quiet, normal, verbose };
  struct Options {
    Volume volume = Volume::normal;
    std::string log_directory;  // "<job>.log" in it
  };
  PlainReport(std::FILE* out, Options options) : out_(out), options_(std::move(options)) {}

  void on_event(const Event& event) override;

 private:
  void on_end(const event::JobEnd& end);
  void on_state(const event::ElementState& state);
  void on_run_end(const event::RunEnd& end);
  void quote_log(std::uint64_t job);

  std::FILE* out_;
  Options options_;
  std::map<std::string, std::uint64_t> done_elsewhere_;  // jobs that succeeded, by the name of a queue of a plugin
};

enum class Colors : std::uint8_t { drop, keep };

// Without escape sequences and control characters but newline and tab; colours and other attributes of text may stay.
std::string strip_control(std::string_view text, Colors colors = Colors::drop);

}  // namespace weir
