// Events as they were written: a line of JSON back into the struct that it was made of, by the same table.
// Who reads a run that is over is a reader of the same stream as those who watched it.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json_value.h"
#include "core/model/event.h"

namespace weir {

class EventReader {
 public:
  // Nothing: no event, or one that is not known here; what a killed weir left half written is none. Fields
  // that are not there, or of another type, are empty. Texts live until the next call.
  std::optional<Event> read(std::string_view line);
  // The time of day at which the last one happened, as it was written.
  std::string_view time() const;

 private:
  void get(std::string_view& field, const char* name) const;
  void get(event::OptionalText& field, const char* name) const { get(field.text, name); }
  void get(std::uint64_t& field, const char* name) const;
  void get(std::int64_t& field, const char* name) const;
  void get(double& field, const char* name) const;
  void get(std::optional<std::int64_t>& field, const char* name) const;
  void get(std::optional<double>& field, const char* name) const;
  void get(event::TextList& field, const char* name);
  void get(event::TokenList& field, const char* name);
  void get(event::NumberList& field, const char* name);

  JsonValue document_;
  // Behind the lists of the last event.
  std::deque<std::vector<std::string_view>> texts_;
  std::deque<std::vector<std::pair<std::string_view, std::int64_t>>> tokens_;
  std::deque<std::vector<std::uint64_t>> numbers_;
};

}  // namespace weir
