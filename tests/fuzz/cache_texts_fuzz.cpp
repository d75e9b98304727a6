// Small files of lines in the cache: what is remembered of a remote, of failed builds and of the host's
// tools.
#include "core/build/failures.h"
#include "core/build/host.h"
#include "core/remote/remote_notes.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir {

namespace {

constexpr std::int64_t kNow = 1'800'000'000;

void try_remote_notes(std::string_view bytes) {
  const auto path = fuzz::folder() + "/notes-of-remote";
  fuzz::write_file(path, bytes);
  const auto now = [] { return kNow; };
  RemoteNotes notes(path, now);
  notes.learn("a");
  notes.set_bad("b");
  notes.forget("c");
  notes.set_good("d");
  WEIR_ASSERT(notes.save().has_value(), "cannot save");
  const RemoteNotes again(path, now);
  WEIR_ASSERT(again.is_bad("b") && !again.is_bad("d") && !again.knows("c"), "not as it was saved");
  WEIR_ASSERT(again.knows("a") == !again.is_bad("a"), "a is lost");
}

void try_failures(std::string_view bytes) {
  const auto folder = fuzz::folder() + "/failures";
  const store::Key key{};
  const Failures failures(folder);
  failures.remember(key, "app", "trees\n");
  WEIR_ASSERT(failures.find(key) == "trees\n", "not remembered");
  fuzz::write_file(folder + "/" + key.hex(), bytes);
  const auto found = failures.find(key);
  WEIR_ASSERT(!found || bytes.ends_with(*found), "other trees than those of the file");
  failures.forget(key);
  WEIR_ASSERT(!failures.find(key), "not forgotten");
}

void try_host(std::string_view bytes) {
  const auto path = fuzz::folder() + "/host-tools";
  fuzz::write_file(path, bytes);
  Host host(fuzz::folder());
  WEIR_ASSERT(host.version_of("no-such-tool-of-the-fuzzer") == "none", "a version of nothing");
  (void)host.looked_at();
}

}  // namespace

WEIR_FUZZ_TARGET(cache_texts) {
  fuzz::Choices choices(input);
  const auto which = choices.byte() % 3;
  const auto bytes = choices.rest();
  which == 0 ? try_remote_notes(bytes) : which == 1 ? try_failures(bytes) : try_host(bytes);
}

}  // namespace weir
