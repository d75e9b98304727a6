// The sealed files of a project: durations, what was built last, peaks of memory; each with changes that were
// appended. Seals are right, contents are not. After reading, a run adds to them and they are read again.
#include "core/build/durations.h"
#include "core/build/last_built.h"
#include "core/build/memory_peaks.h"
#include "core/build/sealed_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

namespace {

event::JobEnd fuzz_job_end() {
  event::JobEnd end;
  end.queue = "build";
  end.element = "app";
  end.result = "succeeded";
  end.seconds = 2;
  end.peak_bytes = 4096;
  return end;
}

void try_durations(const std::string& folder) {
  const auto all = Durations::load(folder);
  WEIR_ASSERT(all.empty() == (all.usual() == 0), "{} is usual", all.usual());
  (void)all.of("app");
  DurationNotes notes;
  notes.on_event(Event{1, {}, fuzz_job_end()});
  WEIR_ASSERT(notes.save(folder).has_value(), "cannot save");
  WEIR_ASSERT(Durations::load(folder).of("app") > 0, "not saved");
}

void try_last_built(const std::string& folder) {
  const auto all = LastBuilt::load(folder);
  for (const auto& element : all.elements())
    WEIR_ASSERT(all.find(element.name) && all.find(element.name)->name == element.name, "{} is lost",
                element.name);
  BuiltNotes notes(7);
  notes.add("app", {store::Key{{1}}, {}, {}, true, false}, {{"a", "b"}});
  WEIR_ASSERT(notes.save(folder).has_value(), "cannot save");
  const auto again = LastBuilt::load(folder);
  const auto* app = again.find("app");
  WEIR_ASSERT(app && app->newest.key == store::Key{{1}}, "not saved");
}

void try_memory(const std::string& folder) {
  const auto all = MemoryPeaks::load(folder);
  for (const auto& entry : all.elements()) {
    WEIR_ASSERT(all.of(entry.name) == entry.peak, "{} is lost", entry.name);
    (void)entry.peak.most();
  }
  MemoryNotes notes;
  notes.on_event(Event{1, {}, fuzz_job_end()});
  WEIR_ASSERT(notes.save(folder).has_value(), "cannot save");
  WEIR_ASSERT(MemoryPeaks::load(folder).of("app").samples.front() == 4, "not saved");
}

}  // namespace

// u8 which file, u8 how; then the file itself and what is appended, in pieces with their lengths.
WEIR_FUZZ_TARGET(notes) {
  static constexpr const char* kNames[] = {"durations", "last-built", "memory"};
  fuzz::Choices choices(input);
  const auto which = choices.byte() % 3;
  const auto how = choices.byte();
  const auto path = fuzz::folder() + "/" + kNames[which];
  const SealedFile file(path);
  const auto body = choices.bytes(choices.byte() + choices.byte() * std::size_t{256});
  fuzz::remove_file(path + ".more");
  if (how % 16 == 15) fuzz::write_file(path, body);
  else WEIR_ASSERT(file.write(std::string(body)).has_value(), "cannot write");
  while (!choices.empty())
    WEIR_ASSERT(file.append(choices.bytes(1 + choices.byte())).has_value(), "cannot append");
  if (how % 16 == 14) fuzz::write_file(path + ".more", body);
  which == 0   ? try_durations(fuzz::folder())
  : which == 1 ? try_last_built(fuzz::folder())
               : try_memory(fuzz::folder());
}

}  // namespace weir
