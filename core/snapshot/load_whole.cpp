#include "core/snapshot/load_whole.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "core/project/project_codec.h"
#include "core/snapshot/sweep.h"

namespace weir::snapshot {

namespace {

constexpr std::size_t kRowsAtOnce = 512;

// Files and folders of the project stand before all others.
std::span<const Watch> project_watches(const Snapshot& snapshot) {
  return snapshot.watches().first(std::min(snapshot.contents().size(), snapshot.watches().size()));
}

bool is_unchanged(const Snapshot& snapshot, const std::string& root) {
  return sweep({root, project_watches(snapshot), snapshot.paths(), snapshot.folders()}).empty();
}

// FileId n is the watch n + 1, but for weir.toml, which is the first (take.cpp); the second is weir.lock,
// which no place is in.
void name_files(const Snapshot& snapshot, const std::string& shown, SourceFiles& files) {
  const auto watches = project_watches(snapshot);
  for (std::size_t i = 0; i < watches.size(); ++i)
    if (i != 1 && watches[i].kind != WatchKind::element_folder)
      files.add(shown + snapshot.path_of(watches[i]));
}

// Memory that is touched for the first time is a good part of a load: in small pages, a fault for every
// eighth element.
void make_room(std::vector<Element>& elements, std::size_t count) {
  constexpr std::uintptr_t kPage = 4096;
  elements.reserve(count);
  const auto begin = (reinterpret_cast<std::uintptr_t>(elements.data()) + kPage - 1) / kPage * kPage;
  const auto end = reinterpret_cast<std::uintptr_t>(elements.data() + count) / kPage * kPage;
  if (end > begin)
    (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // where there are any
  elements.resize(count);
}

bool depends_within(const Element& element, std::size_t elements) {
  return std::all_of(element.dependencies.begin(), element.dependencies.end(),
                     [&](const Dependency& one) { return index(one.to) < elements; });
}

// On as many threads as there are cores; this one does something else first.
template <class Other>
bool decode_all(const Snapshot& snapshot, std::vector<Element>& elements, const Other& other) {
  const auto rows = snapshot.elements();
  make_room(elements, rows.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> good{true};
  const auto work = [&] {
    const FileOf same = [](FileId file) { return file; };
    for (std::size_t from; (from = next.fetch_add(kRowsAtOnce)) < rows.size();)
      for (auto i = from; i < std::min(from + kRowsAtOnce, rows.size()); ++i)
        if (!decode(snapshot.definition(rows[i]), same, elements[i]) ||
            !depends_within(elements[i], rows.size()))
          good = false;
  };
  {
    std::vector<std::jthread> others;
    const auto threads =
        std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), rows.size() / kRowsAtOnce);
    try {
      for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {  // a limit on threads: those that are there do it all
    }
    other();
    work();
  }
  return good;
}

}  // namespace

std::optional<LoadedProject> load_whole(Snapshot& snapshot, const std::string& root,
                                        const std::string& shown) {
  if (!snapshot.open_watches() || !is_unchanged(snapshot, root) || !snapshot.open_elements())
    return std::nullopt;
  LoadedProject loaded;
  if (!snapshot.frame(loaded.project) || loaded.project.root != root) return std::nullopt;
  if (!decode_all(snapshot, loaded.project.elements, [&] { name_files(snapshot, shown, loaded.files); }))
    return std::nullopt;
  return loaded;
}

}  // namespace weir::snapshot
