// A loaded project as bytes and back, element by element, so that what has not changed need not be parsed
// again (core/snapshot). The bytes are those of this very build of weir: there is no promise between
// versions.
//
// Places are kept by the number of their file in the project that was encoded. Who decodes a part of a
// project has other numbers, and says which.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/project/project.h"

namespace weir {

// Raised when a member of these structs comes, goes or changes its meaning.
inline constexpr std::uint32_t kProjectCodec = 5;

std::string encode(const Element& element);
// All of it but the elements.
std::string encode_frame(const Project& project);

using FileOf = std::function<FileId(FileId)>;
// Of bytes that encode() wrote; false, and a value of no use, for others.
bool decode(std::string_view bytes, const FileOf& file_of, Element& element);
bool decode_frame(std::string_view bytes, const FileOf& file_of, Project& project);

}  // namespace weir
