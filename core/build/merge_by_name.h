// What was known of elements, and what a run has noted of some, in one list. Both are in order of names: one
// pass, since inserting each note into a long list would take its square.
#pragma once

#include <utility>

namespace weir {

// Entries have a name; notes are a map by name. `keep` gets every entry that is to be, in order; `change`
// makes one of an entry (of nothing but its name, if it is new) and a note.
template <class Entries, class Notes, class Keep, class Change>
void merge_by_name(const Entries& entries, const Notes& notes, const Keep& keep, const Change& change) {
  using Entry = typename Entries::value_type;
  auto old = entries.begin();
  for (const auto& [name, note] : notes) {
    for (; old != entries.end() && old->name < name; ++old) keep(*old);
    Entry entry{};
    entry.name = name;
    if (old != entries.end() && old->name == name) entry = *old++;
    change(entry, note);
    keep(std::as_const(entry));
  }
  for (; old != entries.end(); ++old) keep(*old);
}

}  // namespace weir
