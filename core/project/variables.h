// %{name} in strings of elements. An element's own variables lie over the project's, and a variable may use
// others: it is looked up where it is used, so an element that sets `opt` changes every project variable that
// is made from it.
//
// Always there: prefix ("/weir" unless set), project and element (their names). %{jobs} is left as it is, to
// expand when a job runs, because the number of cores is no part of a key; a project that sets `jobs` itself
// fixes it. `%%{` is a literal `%{`.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/project/diagnostic.h"
#include "core/project/toml_value.h"

namespace weir {

class TableReader;

struct Variable {
  std::string text;  // not expanded
  Place place;
};

class Variables {
 public:
  // `below` may be nullptr and must outlive this. Immutable after set(): many threads may expand at once.
  explicit Variables(const Variables* below = nullptr)
      : below_(below),
        expanded_(below ? below->expanded_ : std::make_shared<std::atomic<std::uint64_t>>(0)) {}

  void set(std::string name, Variable variable) {
    own_.insert_or_assign(std::move(name), std::move(variable));
  }
  // All members of the table `key` of the reader: strings, numbers and booleans, by their text.
  void read(TableReader& reader, std::string_view key);
  const Variable* find(std::string_view name) const;

  // Which variables an expansion met, also within others, by their texts before expansion. %{element} is left
  // out: it never differs for one element.
  using Used = std::map<std::string, std::string, std::less<>>;
  // In place; a bad reference is a diagnostic at `place`, and stays as it is. What is wrong inside a variable
  // is told by check() alone.
  void expand(std::string& text, Place place, Diagnostics& diagnostics, Used* used = nullptr) const;
  // Every string of the tree, keys excepted.
  void expand(TomlValue& value, Diagnostics& diagnostics, Used* used = nullptr) const;
  // Each own variable once, so that a loop or an unknown name is told even if nothing uses it.
  void check(Diagnostics& diagnostics) const;
  const std::map<std::string, Variable, std::less<>>& own() const { return own_; }

 private:
  struct Walk;
  bool append(std::string_view text, std::string& out, Walk& walk) const;
  bool append_variable(std::string_view name, std::string& out, Walk& walk) const;
  void tell_loop(std::string_view name, const Walk& walk) const;
  std::string unknown_hint(std::string_view name) const;

  const Variables* below_;
  std::map<std::string, Variable, std::less<>> own_;
  std::shared_ptr<std::atomic<std::uint64_t>> expanded_;  // bytes, of the whole project
};

}  // namespace weir
