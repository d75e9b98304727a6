// What is wrong in the files of a user, collected so that all independent errors of all files are told at
// once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/place.h"

namespace weir {

enum class Severity : std::uint8_t { error, warning };

struct Diagnostic {
  struct Note {
    Place place;
    std::string message;
  };
  Severity severity = Severity::error;
  Place place;
  std::string message;      // lower case, no full stop: it stands behind "file:line:column: error: "
  std::string hint;         // what to do about it; may be empty
  std::vector<Note> notes;  // other places that belong to it: the first definition, each edge of a ring
};

// One collector per thread; merge() brings them together.
class Diagnostics {
 public:
  // A file of a million unknown keys shall not cost a gigabyte; the rest is counted.
  static constexpr std::size_t kKept = 1000;

  void error(Place place, std::string message, std::string hint = {}) {
    add({Severity::error, place, std::move(message), std::move(hint), {}});
  }
  void warning(Place place, std::string message, std::string hint = {}) {
    add({Severity::warning, place, std::move(message), std::move(hint), {}});
  }
  void add(Diagnostic diagnostic);
  void merge(Diagnostics&& other);
  // In the order of files, then of lines; what has no place comes first.
  void sort();

  bool has_errors() const { return errors_ != 0; }
  std::size_t errors() const { return errors_; }
  std::size_t warnings() const { return warnings_; }
  std::span<const Diagnostic> all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t own_ = 0;  // added here, not merged
};

// A user's word in a message: quoted, control characters and bad bytes escaped, cut when long.
std::string in_quotes(std::string_view word);
// `did you mean "zlib"?`, or nothing.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace weir
