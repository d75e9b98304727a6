#include "core/project/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/base/printable.h"
#include "core/base/text.h"

namespace weir {

void Diagnostics::add(Diagnostic diagnostic) {
  ++(diagnostic.severity == Severity::error ? errors_ : warnings_);
  if (own_ >= kKept) return;
  ++own_;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::merge(Diagnostics&& other) {
  errors_ += other.errors_;
  warnings_ += other.warnings_;
  all_.insert(all_.end(), std::make_move_iterator(other.all_.begin()),
              std::make_move_iterator(other.all_.end()));
}

void Diagnostics::sort() {
  const auto key = [](const Diagnostic& d) {
    // kNoFile is the largest id and has to come first.
    return std::make_tuple(d.place.file != kNoFile, d.place.file, d.place.line, d.place.column);
  };
  std::stable_sort(all_.begin(), all_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kLongest = 80;
  const bool cut = word.size() > kLongest;
  auto shown = printable(cut ? word.substr(0, kLongest) : word);
  return '"' + shown + (cut ? "...\"" : "\"");
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  // The distance is quadratic in the length, and nobody mistypes a word of 200 letters.
  if (word.empty() || word.size() > 200) return {};
  const auto near = did_you_mean(word, candidates);
  return near ? "did you mean " + in_quotes(*near) + "?" : std::string();
}

}  // namespace weir
