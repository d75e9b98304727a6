// Strong ids. An element's id is its position in the depth-first order of the plan, so dependencies have
// smaller ids than their dependents; every table of weir is a dense array over such ids.
#pragma once

#include <cstdint>

namespace weir {

enum class ElementId : std::uint32_t {};
// Unique in a run: every start is a job of its own, so a retry or a job that was stopped and queued again has
// a new one.
enum class JobId : std::uint32_t {};

constexpr std::uint32_t index(ElementId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(JobId id) { return static_cast<std::uint32_t>(id); }

inline constexpr ElementId kNoElement{0xffffffff};
inline constexpr JobId kNoJob{0xffffffff};

}  // namespace weir
