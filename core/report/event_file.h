// The events of a file, one after another. At the end of what is there `next` gives nothing, and goes on when
// more was written: a run that is under way is followed like one that is over.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/event_reader.h"

namespace weir {

class EventFile {
 public:
  // `only` these kinds of events; others are passed over unread, and most events of a large run are others. A
  // file that is not there has no events yet.
  explicit EventFile(std::string path, const std::vector<std::string_view>& only = {});

  // Texts live until the next call. What is no event, or a line that is not whole, is passed over.
  std::optional<Event> next();
  // The time of day at which the last one happened, as it was written.
  std::string_view time() const { return reader_.time(); }
  // Goes on with the whole lines of the last so many bytes; false if that is all there is.
  bool skip_to_last(std::streamoff bytes);

 private:
  void open();
  bool wanted() const;

  std::string path_;
  std::vector<std::string> marks_;  // one of them is in a line that is wanted
  std::ifstream file_;
  std::string line_;  // what there is of it so far
  std::string part_;
  EventReader reader_;
};

}  // namespace weir
