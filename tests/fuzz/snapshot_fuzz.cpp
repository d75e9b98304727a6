// A snapshot and its patches. The checksums of most are right: "a checksum says that the bytes are those that
// were written, not that whoever wrote them was right". Whatever opens is used the way a run uses it.
//
//   u8 how, then 13 sections (u16 size and bytes), then patches (u8 section, u16 where, u8 size and bytes)
#include "core/snapshot/snapshot.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/fd.h"
#include "core/base/wire.h"
#include "core/project/project_codec.h"
#include "core/snapshot/load_whole.h"
#include "core/snapshot/look.h"
#include "core/snapshot/part.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir::snapshot {

namespace {

constexpr std::size_t kIdOffset = 16;  // in the header: magic, format, sections, id

std::size_t small(fuzz::Choices& choices) { return choices.byte() + choices.byte() * std::size_t{256}; }

std::uint64_t id_in(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::uint64_t id = 0;
  WEIR_ASSERT(::pread(file.get(), &id, sizeof id, kIdOffset) == sizeof id, "no header");
  return id;
}

std::string patches(fuzz::Choices& choices, std::uint64_t id, bool sealed) {
  wire::Writer items;
  std::uint32_t count = 0;
  for (; !choices.empty() && count < 64; ++count) {
    items.u32(choices.byte() % (kSections + 1));
    items.u64(small(choices));
    items.text(choices.text());
  }
  wire::Writer out;
  out.u64(id);
  out.u32(count);
  auto bytes = out.take() + items.take();
  wire::Writer seal;
  seal.u64(sealed ? checksum_of(bytes) : 0);
  return bytes + seal.take();
}

void use(Snapshot& snapshot) {
  Project project;
  (void)snapshot.frame(project);
  (void)snapshot.answers("q");
  Changes changes;
  if (snapshot.open_watches()) {
    for (const auto& watch : snapshot.watches()) (void)std::string_view(snapshot.path_of(watch)).size();
    changes = look(snapshot, fuzz::folder());
  }
  if (!snapshot.open_elements()) return;
  const FileOf same = [](FileId file) { return file; };
  std::size_t touched = 0;  // of every table something is read
  for (const auto& row : snapshot.elements()) {
    touched += snapshot.name(row).size();
    for (const auto& edge : snapshot.edges(row)) touched += snapshot.elements()[edge.to].name.size;
    for (const auto& tree : snapshot.trees(row)) touched += tree.tree.size;
    Element element;
    if (!decode(snapshot.definition(row), same, element)) continue;
    touched += element.name.size();
  }
  __asm__ volatile("" : : "r"(touched));  // so that no read is left out
  if (const auto part = find_part(snapshot, changes.elements)) (void)load_part(snapshot, *part, "");
  (void)load_part(snapshot, part_of(changes.definitions), "");
  if (const auto loaded = load_whole(snapshot, fuzz::folder(), ""))
    for (const auto& element : loaded->project.elements)
      for (const auto& dependency : element.dependencies) (void)loaded->project[dependency.to];
}

}  // namespace

WEIR_FUZZ_TARGET(snapshot) {
  fuzz::Choices choices(input);
  const auto how = choices.byte();
  const auto path = fuzz::folder() + "/snapshot";
  if (how % 16 == 15) {
    fuzz::write_file(path, choices.rest());
  } else {
    Writer writer;
    for (std::size_t i = 0; i < kSections; ++i)
      writer.add(Section{static_cast<std::uint32_t>(i)}, choices.bytes(small(choices)));
    WEIR_ASSERT(writer.write(path).has_value(), "cannot write");
    if (!choices.empty())
      fuzz::write_file(path + ".delta", patches(choices, id_in(path) + (how & 16), how % 16 != 14));
  }
  if (auto snapshot = Snapshot::open(path)) use(*snapshot);
}

}  // namespace weir::snapshot
