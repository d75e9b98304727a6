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

// What track and fetch are asked for.
struct SourceRequest {
  std::string_view url;    // with a scheme, or an absolute path: those of the project were made so
  std::string_view ref;    // empty while it is tracked
  std::string_view name;   // of its own in the root `source`: fetch fills the folder source/<name>
  std::string_view cache;  // of its own in the root `cache`, the same for every source with this URL
};

// The answer of a track job: what its steps left in the file source/<name>.track.
struct TrackAnswer {
  std::string sha256;  // of the file, in hex
  std::string text;    // its content; empty if that is longer than 16 MiB
};

// How the files of a source come into the build directory.
struct SourceStage {
  std::string place;        // below the build directory
  std::vector<Step> steps;  // run before those of the element
};

// A source is of the project (content) or of elsewhere, pinned by a ref (plan_track, parse_track, plan_fetch). All steps are
// run by weir; a track or fetch job has the roots `source` and `cache`, the network, and commands start in `source`.
class SourceKind {
 public:
  virtual ~SourceKind() = default;
  virtual std::string_view name() const = 0;
  virtual std::uint32_t version() const = 0;
  // `config` has the keys of the source, url and track among them where they are given.
  virtual ResolvedConfig resolve(std::string_view config) const = 0;
  // What of the project is the source, if it is of the project; its content enters the key.
  virtual std::optional<ProjectContent> content(std::string_view /*resolved*/) const { return std::nullopt; }
  // What beside the ref or the content decides on the files, as canonical JSON; enters the key. Not where it comes from.
  virtual std::string key_config(std::string_view /*resolved*/) const { return "{}"; }
  virtual std::vector<std::string> host_tools() const { return {}; }
  // What is wrong with a ref; empty if nothing is.
  virtual std::string wrong_ref(std::string_view /*ref*/) const { return "this kind has no ref"; }
  // Jobs with the same URL share files in the root `cache`, so only one of them runs at a time.
  virtual bool keeps_mirror() const { return false; }
  virtual std::vector<Step> plan_track(std::string_view /*resolved*/, const SourceRequest&) const { return {}; }
  virtual Result<std::string> parse_track(std::string_view resolved, const TrackAnswer& answer) const;
  virtual std::vector<Step> plan_fetch(std::string_view /*resolved*/, const SourceRequest&) const { return {}; }
  // `directory` as the user has it; `name` as in a SourceRequest.
  virtual SourceStage plan_stage(std::string_view /*resolved*/, std::string_view directory, std::string_view /*name*/) const {
    return {std::string(directory), {}};
  }
};

}  // namespace weir
