// Reads the configuration of a kind: each key is asked for by name and type, and finish() complains about those that
// nobody asked for. What was read, defaults included, becomes the resolved document.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/kind.h"

namespace weir {

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view json);
  ~ConfigReader();
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;

  // The value goes into the resolved document as it is read; a default is there as well.
  std::string text(std::string_view key, std::string_view standard = {});
  std::string required_text(std::string_view key, std::string_view remedy);
  std::vector<std::string> texts(std::string_view key);
  bool boolean(std::string_view key, bool standard);
  std::int64_t integer(std::string_view key, std::int64_t standard, std::int64_t least, std::int64_t most);
  void complain(std::string_view path, std::string message, std::string remedy = {});
  ResolvedConfig finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reading a resolved document again, in plan(): whatever is not there is empty.
std::string text_in(std::string_view resolved, std::string_view key);
std::vector<std::string> texts_in(std::string_view resolved, std::string_view key);
bool boolean_in(std::string_view resolved, std::string_view key);
std::int64_t integer_in(std::string_view resolved, std::string_view key);
// A canonical document of some of the keys of a resolved one.
std::string part_of(std::string_view resolved, std::initializer_list<std::string_view> keys);

// "sub/dir": relative, and no part of it is "..".
bool stays_inside(std::string_view path);

}  // namespace weir
