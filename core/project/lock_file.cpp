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

bool known_lock_format(TableReader& reader) {
  const auto* format = reader.take("weir-lock");
  if (format != nullptr && format->integer() != nullptr && *format->integer() == kLockFormat) return true;
  reader.diagnostics().error(format ? format->place : reader.place(),
                             fmt::format("this weir reads lock files with `weir-lock = {}`", kLockFormat),
                             "use a newer weir, or take the file away and run `weir track`");
  return false;
}

void read_entry(TomlValue& value, Lock& lock, Diagnostics& diagnostics) {
  TableReader reader(value, "[[source]]", diagnostics);
  PlacedText element, kind, ref;
  LockKey key;
  reader.required_text("element", element);
  reader.required_text("kind", kind);
  reader.text("url", key.url);
  reader.text("track", key.track);
  reader.required_text("ref", ref);
  reader.finish();
  key.element = element.text;
  key.kind = kind.text;
  if (!lock.emplace(std::move(key), ref.text).second)
    diagnostics.error(value.place, fmt::format("a second entry for a source of {}", in_quotes(element.text)),
                      "take one of the two away");
}

}  // namespace

LockKey lock_key(const Element& element, const Source& source) {
  auto url = source.url;
  const auto* path = source.config.find("path");
  if (url.empty() && path != nullptr && path->value.text() != nullptr) url = *path->value.text();
  return {element.name, source.kind.text, std::move(url), source.track};
}

Lock parse_lock(std::string_view text, FileId file, Diagnostics& diagnostics) {
  Lock lock;
  auto document = parse_toml(text, file, diagnostics);
  if (!document) return lock;
  TableReader reader(*document, "weir.lock", diagnostics);
  if (!known_lock_format(reader)) return lock;
  if (auto* entries = reader.take_array("source"))
    for (auto& entry : *entries) read_entry(entry, lock, diagnostics);
  reader.finish();
  return lock;
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

void apply_lock_file(const std::string& root, LoadedProject& loaded) {
  const auto path = root + "/weir.lock";
  if (access(path.c_str(), F_OK) != 0) return;
  const auto file = loaded.files.add(root == "." ? "weir.lock" : path);
  std::string why_not;
  auto text = read_file(path, why_not, &loaded.files[file].stamp);
  if (!text) return loaded.diagnostics.error({file, 0, 0}, "cannot be read: " + why_not);
  loaded.files[file].text = std::move(*text);
  const auto lock = parse_lock(loaded.files[file].text, file, loaded.diagnostics);
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
  // Two weirs that track different elements must not lose each other's refs. The file itself is replaced, so
  // its folder is what they lock.
  const UniqueFd folder(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || flock(folder.get(), LOCK_EX) != 0) return fail_errno("locking " + root);
  Lock lock;
  std::string why_not;
  const bool exists = access(path.c_str(), F_OK) == 0;
  auto text = read_file(path, why_not);
  if (exists && !text) return fail(Reason::system, fmt::format("reading {}: {}", path, why_not));
  if (text) {
    Diagnostics diagnostics;
    lock = parse_lock(*text, kNoFile, diagnostics);
    if (diagnostics.has_errors())
      return fail(Reason::project, fmt::format("{}: {}", path, diagnostics.all().front().message),
                  "repair or remove it");
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
