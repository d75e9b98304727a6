// The label of a job is "<element>/<queue>": who runs it needs no more to know whose files are meant.
#pragma once

#include <string>
#include <string_view>

#include "core/model/job_spec.h"

namespace weir {

inline std::string job_label(std::string_view element, std::string_view queue) {
  return std::string(element).append("/").append(queue);
}
inline std::string element_of(const JobSpec& spec) { return spec.label.substr(0, spec.label.rfind('/')); }
inline std::string_view queue_of(const JobSpec& spec) {
  return std::string_view(spec.label).substr(spec.label.rfind('/') + 1);
}

// What an element is called where it has folders: each queue has its own, and no element is called like one.
inline std::string folder_name(std::string_view element, std::string_view queue) {
  return queue == "build" ? std::string(element) : std::string(element).append("\n").append(queue);
}

}  // namespace weir
