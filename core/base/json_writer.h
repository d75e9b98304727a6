// Appends JSON to a string, in the order it is told. One writer per document; no tree is built, so an event
// costs no allocation beyond its line.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  // Bytes that are no UTF-8 become U+FFFD: the output is always valid JSON.
  JsonWriter& value(std::string_view text) {
    separate();
    quote(text);
    return *this;
  }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  JsonWriter& value(double number);  // not finite: null
  template <std::integral T>
  JsonWriter& value(T number) {
    return raw(std::to_string(number));
  }
  JsonWriter& null() { return raw("null"); }
  JsonWriter& raw(std::string_view json) {
    separate();
    out_.append(json);
    return *this;
  }

 private:
  void separate() {
    if (!fresh_) out_.push_back(',');
    fresh_ = false;
  }
  JsonWriter& open(char bracket) {
    separate();
    out_.push_back(bracket);
    fresh_ = true;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_.push_back(bracket);
    fresh_ = false;
    return *this;
  }
  void quote(std::string_view text);

  std::string& out_;
  bool fresh_ = true;  // nothing stands before the next value on its level
};

}  // namespace weir
