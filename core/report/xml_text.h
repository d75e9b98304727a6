// Text of others in XML 1.0, whatever it holds: what XML cannot hold (control characters, bytes that are no
// UTF-8, U+FFFE) is a replacement character.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// Between tags and, as newlines and tabs are written by number, as the value of an attribute.
std::string xml_text(std::string_view text);
std::string xml_attribute(std::string_view text);

}  // namespace weir
