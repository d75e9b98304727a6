// JSON for plugins, small and without dependencies: documents come as text and go as canonical text (keys
// sorted, no spaces).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/linkage.hpp>

namespace weir::sdk {

namespace sdk_detail {
class JsonParser;
}

// A union by hand: std::variant of the same members took a tenth of the time that a plugin takes to compile.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() noexcept : integer_(0) {}
  Json(bool value) noexcept : type_(Type::boolean), boolean_(value) {}
  Json(int value) noexcept : Json(std::int64_t{value}) {}
  Json(std::int64_t value) noexcept : type_(Type::integer), integer_(value) {}
  Json(std::uint32_t value) noexcept : Json(std::int64_t{value}) {}
  Json(double value) noexcept : type_(Type::number), number_(value) {}
  Json(const char* value);
  Json(std::string_view value);
  Json(std::string value) noexcept;
  Json(Array value) noexcept;
  Json(Object value) noexcept;
  Json(const std::vector<std::string>& texts);

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  // Nothing if it is no JSON, or is nested deeper than anybody would write.
  static std::optional<Json> parse(std::string_view text);
  std::string dump() const;

  const bool* boolean() const { return type_ == Type::boolean ? &boolean_ : nullptr; }
  const std::int64_t* integer() const { return type_ == Type::integer ? &integer_ : nullptr; }
  const std::string* text() const { return type_ == Type::text ? &text_ : nullptr; }
  const Array* array() const { return type_ == Type::array ? &array_ : nullptr; }
  const Object* object() const { return type_ == Type::object ? &object_ : nullptr; }
  Object* object() { return type_ == Type::object ? &object_ : nullptr; }

  // A member of an object; nullptr if there is none.
  const Json* find(std::string_view key) const;
  // Of a document that was checked before: whatever is not there, or is something else, is empty.
  std::string text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  // An object with some of the members of this one.
  Json part(std::initializer_list<std::string_view> keys) const;

 private:
  enum class Type : std::uint8_t { null, boolean, integer, number, text, array, object };

  friend class sdk_detail::JsonParser;
  void append_to(std::string& out) const;

  Type type_ = Type::null;
  union {
    bool boolean_;
    std::int64_t integer_;
    double number_;
    std::string text_;
    Array array_;
    Object object_;
  };
};

// A string of JSON, in its quotes.
void append_json(std::string& out, std::string_view text);

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/json.ipp>
#endif
