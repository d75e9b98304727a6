// A run at a terminal: what is finished scrolls by, and below it a live region shows what goes on. The region
// is drawn at most ten times a second and only if something in it changed; lines come with the next drawing,
// all in one write.
//
// Thread: the loop's. While a person is asked something, and while weir is stopped, the region is not there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/report/live_region.h"
#include "core/report/plain.h"
#include "core/report/run_picture.h"
#include "core/report/timed_report.h"

namespace weir {

class LiveDisplay final : public Observer, public TimedReport {
 public:
  struct Terminal {
    std::function<void(std::string_view)> write;
    std::function<TerminalSize()> size;
  };
  LiveDisplay(Terminal terminal, ReportOptions options, const Clock& clock);

  void on_event(const Event& event) override;
  std::optional<Time> next_call() const override;
  void call(Time now) override { draw(now); }

  // The window has another size now.
  void resized();
  // weir is stopped, or goes on: meanwhile all that was to be written is, and the region is gone.
  void stopped();
  void resumed();

 private:
  bool hidden() const { return asked_ || stopped_ || over_; }
  void hide();
  void scroll(const StyledLines& lines);
  void draw(Time now);
  std::size_t rows() const;
  std::string to_top() const;
  std::string erased() const;
  Duration since_start(Time now) const { return now - start_; }

  Terminal terminal_;
  ReportOptions options_;
  const Clock& clock_;
  RunPicture picture_;
  RunFailures failures_;
  RunTotals totals_;
  TerminalSize size_;

  Time start_;
  std::optional<Time> drawn_;        // when that was last done
  std::vector<std::size_t> widths_;  // of the lines that are on the screen
  std::string frame_;                // as they are
  std::string pending_;              // lines that scroll by with the next drawing
  bool changed_ = false;
  bool asked_ = false;  // a person is, something
  bool stopped_ = false;
  bool over_ = false;
};

}  // namespace weir
