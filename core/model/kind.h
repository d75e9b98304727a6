// What weir asks of an element kind, a source kind and a queue of a plugin. All questions are pure: the same
// question has the same answer, nothing is read, written or run. Configuration comes as a JSON object and
// goes back as canonical JSON (keys sorted, no spaces), which is what enters the key. An Error is a fault of
// the plugin, unless it says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/job_result.h"
#include "core/model/job_spec.h"

namespace weir {

// What is wrong with a configuration. `path` names the value: "commands", "commands/2", or nothing for all of
// it.
struct Complaint {
  std::string path;
  std::string message;
  std::string remedy;
};

struct ResolvedConfig {
  std::string document;      // enters the key
  std::string later = "{}";  // of elements: what queues behind `build` are to know; no part of the key
  std::vector<Complaint> complaints;  // with any, the documents say nothing
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

// What all kinds have.
class Kind {
 public:
  virtual ~Kind() = default;
  virtual std::string_view name() const = 0;
  // Enters the key: to be raised whenever the same document would give another plan.
  virtual std::uint32_t version() const = 0;
  // Who made it; empty for those of weir. Enters the key, since two plugins may have a kind of one name.
  virtual std::string_view plugin() const { return {}; }
  // Tools of the host whose versions enter the key of elements that are built with them.
  virtual const std::vector<std::string>& host_tools() const = 0;
  virtual Result<ResolvedConfig> resolve(std::string_view config) const = 0;
};

class ElementKind : public Kind {
 public:
  // Dependencies are there while it is built. Without that they are no part of its key.
  virtual bool stages_dependencies() const { return true; }
  virtual Result<ElementPlan> plan(std::string_view resolved, const ElementPlaces& places) const = 0;
};

// A folder or file of the project.
struct ProjectContent {
  std::string path;
  std::vector<std::string> exclude;  // globs
};

// What is known of a source by its configuration alone.
struct SourceFacts {
  std::optional<ProjectContent> content;  // if it is of the project: that enters the key
  std::string key = "{}";  // what beside ref or content decides on the files, as canonical JSON
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

// A source is of the project (content) or of elsewhere, pinned by a ref (plan_track, parse_track,
// plan_fetch). All steps are run by weir; a track or fetch job has the roots `source` and `cache`, the
// network, and commands start in `source`. resolve() gets the keys of the source, url and track among them
// where they are given.
class SourceKind : public Kind {
 public:
  virtual Result<SourceFacts> describe(std::string_view resolved) const = 0;
  // What is wrong with a ref; empty if nothing is.
  virtual Result<std::string> wrong_ref(std::string_view ref) const = 0;
  // Jobs with the same URL share files in the root `cache`, so only one of them runs at a time.
  virtual bool keeps_mirror() const { return false; }
  virtual Result<std::vector<Step>> plan_track(std::string_view resolved,
                                               const SourceRequest& request) const = 0;
  // Reason::project if the answer has no such thing.
  virtual Result<std::string> parse_track(std::string_view resolved, const TrackAnswer& answer) const = 0;
  virtual Result<std::vector<Step>> plan_fetch(std::string_view resolved,
                                               const SourceRequest& request) const = 0;
  // `directory` as the user has it; `name` as in a SourceRequest.
  virtual Result<SourceStage> plan_stage(std::string_view resolved, std::string_view directory,
                                         std::string_view name) const = 0;
};

// An element as a queue of a plugin sees it.
struct QueueRequest {
  std::string_view config;   // of the queue, resolved
  std::string_view element;  // {"config", "cpu", "kind", "later", "name", "public"}, canonical
};
struct QueueOpinion {
  enum class Is : std::uint8_t { ready, skip, never };
  Is is = Is::ready;
  std::string reason;
};
struct TokenCount {
  std::string token;
  std::int64_t amount = 0;
};

class QueueKind : public Kind {
 public:
  // Its jobs have the sources in the build directory.
  virtual bool stages_sources() const = 0;
  // Tokens that it brings with it.
  virtual const std::vector<TokenCount>& resources() const = 0;
  // Nothing: the cores of the element.
  virtual Result<std::optional<std::vector<TokenCount>>> needs(const QueueRequest& request) const = 0;
  virtual Result<QueueOpinion> classify(const QueueRequest& request) const = 0;
  virtual Result<ElementPlan> plan(const QueueRequest& request, const ElementPlaces& places) const = 0;
  enum class Means : std::uint8_t { done, skip, fail };
  virtual Result<Means> on_result(const QueueRequest& request, const JobResult& result) const = 0;
};

}  // namespace weir
