// What is remembered of one remote from run to run, in a file of the cache: which records it had lately, so
// that a build with nothing to do asks nobody, and what of it was found to be wrong, so that the next push
// replaces it. Losing the file costs questions, nothing else. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir {

class RemoteNotes {
 public:
  // `wall_seconds`: the time of day, injected for tests.
  RemoteNotes(std::string file, std::function<std::int64_t()> wall_seconds);

  // It had the record of this key within the last day.
  bool knows(std::string_view key) const;
  void learn(std::string_view key);
  void forget(std::string_view key);

  // A blob or a record that is not what it should be.
  bool is_bad(std::string_view name) const;
  void set_bad(std::string_view name);
  void set_good(std::string_view name);

  // What another weir wrote meanwhile is kept as well.
  Status save();

  static std::string file_for(const std::string& folder, std::string_view url);

 private:
  using Times = std::map<std::string, std::int64_t, std::less<>>;
  using Names = std::set<std::string, std::less<>>;
  void read(Times& known, Names& bad) const;

  std::string file_;
  std::function<std::int64_t()> now_;
  mutable std::mutex mutex_;
  Times known_;
  Names bad_;
  std::set<std::string> forgotten_, mended_;  // since it was read
  bool changed_ = false;
};

}  // namespace weir
