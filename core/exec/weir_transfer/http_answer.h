// What the head of an HTTP answer says, line by line; each redirect begins a new one. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::transfer {

// Sent back in If-Range: a control character could begin another header.
bool can_be_validator(std::string_view text);

struct HttpAnswer {
  std::string etag;
  std::string last_modified;
  std::string content_range;

  void read_line(std::string_view line, std::string& location);
  // A weak ETag says "much the same", which is no ground to put bytes of two answers together. Empty: there
  // is none.
  std::string validator() const;

  // "bytes 1000-1999/50000"; without the size of the whole it is not known whether more is to come.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t whole = 0;
  };
  std::optional<Range> range() const;
};

}  // namespace weir::transfer
