#include "core/project/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "core/base/abandoned_files.h"
#include "core/base/fd.h"
#include "core/base/replace_file.h"
#include "core/project/load.h"
#include "core/project/toml_parse.h"

namespace weir {

namespace {

constexpr std::int64_t kLockFormat = 1;

void append_string(std::string& out, std::string_view key, std::string_view value) {
  out += fmt::format("{} = \"", key);
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (byte < 0x20 || byte == 0x7f) out += fmt::format("\\u{:04x}", byte);
    else out += c;
  }
  out += "\"\n";
}

constexpr std::string_view kTrackAgain = "run `weir track`, which writes it again";

struct LockEntry {
  LockKey key;
  PlacedText ref;
};

struct LockEntries {
  std::vector<LockEntry> all;
  bool newer = false;     // of a later weir: nothing of it was read, and it is not to be replaced
  bool readable = false;  // as a whole; entries with errors may still have been left out
};

bool known_lock_format(TableReader& reader, bool& newer) {
  const auto* format = reader.take("weir-lock");
  const auto* number = format ? format->integer() : nullptr;
  if (number && *number == kLockFormat) return true;
  newer = number && *number > kLockFormat;
  reader.diagnostics().error(
      format ? format->place : reader.place(),
      fmt::format("this weir reads lock files with `weir-lock = {}`", kLockFormat),
      newer ? "use a newer weir, or remove the file and run `weir track`" : std::string(kTrackAgain));
  return false;
}

// Entries with errors are left out.
void read_entry(TomlValue& value, std::vector<LockEntry>& all, Diagnostics& diagnostics) {
  const auto errors = diagnostics.errors();
  TableReader reader(value, "[[source]]", diagnostics);
  PlacedText element, kind, ref;
  LockKey key;
  reader.required_text("element", element);
  reader.required_text("kind", kind);
  reader.text("url", key.url);
  reader.text("track", key.track);
  reader.required_text("ref", ref);
  reader.finish();
  if (diagnostics.errors() != errors) return;
  key.element = element.text;
  key.kind = kind.text;
  all.push_back({std::move(key), std::move(ref)});
}

LockEntries read_entries(std::string_view text, FileId file, Diagnostics& diagnostics) {
  LockEntries entries;
  auto document = parse_toml(text, file, diagnostics);
  if (!document) return entries;
  TableReader reader(*document, "weir.lock", diagnostics);
  if (!known_lock_format(reader, entries.newer)) return entries;
  entries.readable = true;
  if (auto* sources = reader.take_array("source"))
    for (auto& source : *sources) read_entry(source, entries.all, diagnostics);
  reader.finish();
  return entries;
}

Lock to_lock(LockEntries&& entries, Diagnostics& diagnostics) {
  Lock lock;
  for (auto& [key, ref] : entries.all) {
    const auto element = key.element;
    if (!lock.emplace(std::move(key), std::move(ref.text)).second)
      diagnostics.error(ref.place, fmt::format("a second entry for a source of {}", in_quotes(element)));
  }
  return lock;
}

// An element whose refs an unreadable lock file may hold and `found` does not; nullptr if there is none.
const Element* element_to_lose(std::string_view text, const Project& project, const Lock& found) {
  for (const auto& element : project.elements) {
    if (text.find(in_quotes(element.name)) == text.npos) continue;
    for (const auto& source : element.sources)
      if ((source.ref.empty() || source.ref_from_lock) && found.count(lock_key(element, source)) == 0)
        return &element;
  }
  return nullptr;
}

// What is wrong in the lock file. `weir track` is what repairs it, so there it keeps nothing from being done.
void add_lock_diagnostics(const Diagnostics& own, LockErrors as, Diagnostics& all) {
  for (auto one : own.all()) {
    if (one.hint.empty()) one.hint = kTrackAgain;
    if (as == LockErrors::warnings) {
      one.severity = Severity::warning;
      one.hint = "tracking all elements writes the file again";
    }
    all.add(std::move(one));
  }
}

}  // namespace

LockKey lock_key(const Element& element, const Source& source) {
  auto url = source.url;
  const auto* path = source.config.find("path");
  if (url.empty() && path != nullptr && path->value.text() != nullptr) url = *path->value.text();
  return {element.name, source.kind.text, std::move(url), source.track};
}

Lock parse_lock(std::string_view text, FileId file, Diagnostics& diagnostics) {
  return to_lock(read_entries(text, file, diagnostics), diagnostics);
}

Place place_in_lock(const SourceFiles& files, const LockKey& key) {
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    const auto& file = files[FileId{i}];
    if (file.path != "weir.lock" && !file.path.ends_with("/weir.lock")) continue;
    Diagnostics ignored;
    for (const auto& entry : read_entries(file.text, FileId{i}, ignored).all)
      if (entry.key == key) return entry.ref.place;
  }
  return {};
}

std::string to_text(const Lock& lock) {
  std::string out = fmt::format(
      "# Written by `weir track`: the refs of sources. Keep it under version control.\nweir-lock = {}\n",
      kLockFormat);
  for (const auto& [key, ref] : lock) {
    out += "\n[[source]]\n";
    append_string(out, "element", key.element);
    append_string(out, "kind", key.kind);
    if (!key.url.empty()) append_string(out, "url", key.url);
    if (!key.track.empty()) append_string(out, "track", key.track);
    append_string(out, "ref", ref);
  }
  return out;
}

void apply_lock_file(const ProjectFolder& folder, const std::string& root, LoadedProject& loaded) {
  const auto path = root + "/weir.lock";
  if (faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0)
    return;  // a link to nothing is there
  const auto file = loaded.files.add(root == "." ? "weir.lock" : path);
  auto read = folder.read("weir.lock");
  if (!read.leads_to.empty()) return add_outside({"weir.lock", read.leads_to, {file, 0, 0}}, loaded);
  if (!read.text) return loaded.diagnostics.error({file, 0, 0}, read.why_not.message, read.why_not.remedy);
  loaded.files[file].text = std::move(*read.text);
  loaded.files[file].stamp = read.stamp;
  Diagnostics own;
  auto entries = read_entries(loaded.files[file].text, file, own);
  const auto as = entries.newer ? LockErrors::errors : loaded.lock_errors;
  const auto lock = to_lock(std::move(entries), own);
  add_lock_diagnostics(own, as, loaded.diagnostics);
  if (lock.empty()) return;
  for (auto& element : loaded.project.elements) {
    for (auto& source : element.sources) {
      if (!source.ref.empty()) continue;
      const auto found = lock.find(lock_key(element, source));
      if (found == lock.end()) continue;
      source.ref = found->second;
      source.ref_from_lock = true;
    }
  }
}

Status update_lock_file(const std::string& root, const Project& project, const Lock& found) {
  const auto path = root + "/weir.lock";
  // To read it may be allowed. A repository that brings a link chooses where it leads, and much of what is
  // written.
  if (const auto leads_to = ProjectFolder(root).leads_to("weir.lock"); !leads_to.empty())
    return fail(Reason::project,
                fmt::format("weir.lock is a link out of the project, to {}", in_quotes(leads_to)),
                "replace the link by a file, or remove it, and track again");
  // Two weirs that track different elements must not lose each other's refs. The file itself is replaced, so
  // its folder is what they lock.
  const UniqueFd folder(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || flock(folder.get(), LOCK_EX) != 0) return fail_errno("locking " + root);
  Lock lock;
  const bool exists = access(path.c_str(), F_OK) == 0;
  auto text = read_file(path);
  if (exists && !text) return fail(Reason::system, path + " " + text.error().message, text.error().remedy);
  if (text) {
    Diagnostics diagnostics;
    auto entries = read_entries(*text, kNoFile, diagnostics);
    if (entries.newer)
      return fail(Reason::project, fmt::format("{}: {}", path, diagnostics.all().front().message),
                  diagnostics.all().front().hint);
    const auto* lost = entries.readable ? nullptr : element_to_lose(*text, project, found);
    if (lost)
      return fail(Reason::project,
                  fmt::format("{} cannot be read; without it the refs of element {} would be lost", path,
                              in_quotes(lost->name)),
                  "restore the file, or run `weir track` without elements to track all of them");
    lock = to_lock(std::move(entries), diagnostics);
  }
  std::set<LockKey> wanted;
  for (const auto& element : project.elements)
    for (const auto& source : element.sources) wanted.insert(lock_key(element, source));
  std::erase_if(lock, [&](const auto& entry) { return wanted.count(entry.first) == 0; });
  for (const auto& [key, ref] : found) lock.insert_or_assign(key, ref);
  const auto written = to_text(lock);
  if (text && *text == written) {
    remove_abandoned_files(root, "weir.lock");
    return {};
  }
  return replace_file(path, written);
}

}  // namespace weir
