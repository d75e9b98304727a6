// What a client hears: one JSON object a line, {"v":1,"ok":true,..} or {"v":1,"ok":false,"error":{..}}.
#pragma once

#include <string>
#include <string_view>

#include "core/base/json_value.h"
#include "core/control/request.h"

namespace weir::control {

// Each is a line without its end.
std::string done_line();
// With one more member; `json` is one value, in as many lines as it likes.
std::string done_line(std::string_view member, std::string_view json);
std::string refusal_line(const Refusal& refusal);

// As a client reads it.
struct Reply {
  JsonValue document;
  bool ok = false;
  Error error;       // unless ok
  std::string path;  // of the error
};
Result<Reply> parse_reply(std::string_view line);

}  // namespace weir::control
