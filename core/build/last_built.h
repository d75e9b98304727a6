// What the runs of a project used last: of every element the newest artifact that a run found or made, and
// the one before it that was different. `weir why` compares recipes with it; no key depends on it.
//
// One file in the project's folder of the cache, written as a whole and only if something in it changed:
// 100,000 elements are 34 MB, and 0.2 s to read, compare and write (two cores, both busy). Two weirs may end
// at the same time: what the other one wrote is read again under a lock. What a run of a few elements saw is
// appended (sealed_file.h). A file that is damaged, or of another version, counts as empty: it costs an
// answer, never a build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/project/table_reader.h"
#include "core/store/record.h"

namespace weir {

// Why a run built it.
enum class Occasion : std::uint8_t {
  changed,  // there was none with that key
  forced,   // it was there; somebody asked for it
  gone,     // it had been there, and was not any more
};

struct KnownArtifact {
  store::Key key;        // the resolved one
  store::Digest recipe;  // its document; in the store for as long as gc leaves it there
  store::Digest output;
  std::uint64_t built = 0;  // the run that built it; 0: no run of this project, as far as is known
  std::uint64_t used = 0;   // the first run that used it, after another
  Occasion occasion = Occasion::changed;
  TextMap variables;  // that the element's strings used, as they were set
  bool operator==(const KnownArtifact&) const = default;
};

struct LastBuiltElement {
  std::string name;
  KnownArtifact newest;
  std::optional<KnownArtifact> before;
  bool operator==(const LastBuiltElement&) const = default;
};

// An artifact that a run found or made.
struct SeenArtifact {
  store::Key key;
  store::Digest recipe;
  store::Digest output;
  bool built = false;
  bool forced = false;
};

class LastBuilt {
 public:
  // `folder` of the project. One that is not there is empty.
  static LastBuilt load(const std::string& folder);
  const LastBuiltElement* find(std::string_view element) const;
  const std::vector<LastBuiltElement>& elements() const { return elements_; }

 private:
  friend class BuiltNotes;
  std::vector<LastBuiltElement> elements_;  // sorted by name
};

// What one run saw. One thread.
class BuiltNotes {
 public:
  explicit BuiltNotes(std::uint64_t run) : run_(run) {}
  void add(std::string element, const SeenArtifact& seen, TextMap variables);
  // Into the file, after the run. Waits for another weir that is doing the same.
  Status save(const std::string& folder) const;

 private:
  friend class LastBuilt;
  struct Note {
    std::string element;
    SeenArtifact seen;
    TextMap variables;
  };
  void apply(const Note& note, LastBuiltElement& element) const;
  bool apply_all(std::vector<LastBuiltElement>& elements) const;
  std::string encode() const;
  static std::optional<BuiltNotes> decode(std::string_view bytes);

  std::uint64_t run_;
  std::vector<Note> notes_;
};

}  // namespace weir
