// What weir asks of an element kind and of a source kind. All questions are pure: the same question has the same answer,
// nothing is read, written or run. Configuration comes as a JSON object and goes back as canonical JSON (keys sorted, no
// spaces), which is what enters the key. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/job_spec.h"

namespace weir {

// What is wrong with a configuration. `path` names the value: "commands", "commands/2", or nothing for all of it.
struct Complaint {
  std::string path;
  std::string message;
  std::string remedy;
};

struct ResolvedConfig {
  std::string document;
  std::vector<Complaint> complaints;  // with any, the document says nothing
};

struct ElementPlan {
  std::vector<Step> steps;
  std::vector<std::pair<std::string, std::string>> environment;  // beside what every element has
};

// As commands see them.
struct ElementPlaces {
  std::string_view prefix;   // where it will be used
  std::string_view install;  // DESTDIR
};

class ElementKind {
 public:
  virtual ~ElementKind() = default;
  virtual std::string_view name() const = 0;
  // Enters the key: to be raised whenever the same document would give another plan.
  virtual std::uint32_t version() const = 0;
  // Tools of the host whose versions enter the key of elements that are built with them.
  virtual std::vector<std::string> host_tools() const { return {}; }
  // Dependencies are there while it is built. Without that they are no part of its key.
  virtual bool stages_dependencies() const { return true; }
  virtual ResolvedConfig resolve(std::string_view config) const = 0;
  virtual Result<ElementPlan> plan(std::string_view resolved, const ElementPlaces& places) const = 0;
};

// A folder or file of the project.
struct ProjectContent {
  std::string path;
  std::vector<std::string> exclude;  // globs
};

class SourceKind {
 public:
  virtual ~SourceKind() = default;
  virtual std::string_view name() const = 0;
  virtual std::uint32_t version() const = 0;
  virtual ResolvedConfig resolve(std::string_view config) const = 0;
  // What of the project is the source; its content enters the key.
  virtual ProjectContent content(std::string_view resolved) const = 0;
};

}  // namespace weir
