#include "core/build/trust_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/base/fd.h"
#include "core/base/home_folder.h"
#include "core/base/owned_path.h"
#include "core/project/element_files.h"
#include "core/project/toml_parse.h"
#include "core/store/digest.h"

namespace weir {

namespace {

constexpr std::int64_t kRecordFormat = 1;

std::string name_of(const std::string& root) { return store::digest_of(root).hex().substr(0, 32) + ".toml"; }

// All that a basic string of TOML cannot hold as it is. Bytes that are no UTF-8 cannot be in it at all, so
// they are written as private characters and no two texts become one.
std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (byte < 0x20 || byte >= 0x7f) out += fmt::format("\\uE0{:02X}", byte);
    else out += c;
  }
  return out + "\"";
}

// "\uE0xx" is the character U+E0xx: three bytes of UTF-8.
std::string toml_unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    const bool coded =
        i + 2 < text.size() && at(0) == 0xee && (at(1) & 0xfc) == 0x80 && (at(2) & 0xc0) == 0x80;
    out += coded ? static_cast<char>(((at(1) & 0x03) << 6) | (at(2) & 0x3f)) : text[i];
    if (coded) i += 2;
  }
  return out;
}

tl::unexpected<Error> not_usable(const std::string& path, std::string_view why) {
  return fail(Reason::system, fmt::format("{} {}", path, why), "remove it, and run `weir trust` again");
}

tl::unexpected<Error> not_safe(const Error& error) {
  return fail(error.reason, "trust records are not safe to use: " + error.message, error.remedy);
}

// Nothing: it is not there.
Result<UniqueFd> open_folder(const std::string& path) {
  const auto place = resolve_path(path, Way::owned);
  if (!place) return not_safe(place.error());
  if (!place->found) return UniqueFd();
  if (auto good = check_owned_folder(place->info, place->path); !good) return not_safe(good.error());
  UniqueFd fd(::openat(place->found.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail_errno("opening " + path);
  return fd;
}

Result<std::optional<TrustRecord>> read_record(int folder, const std::string& shown,
                                               const std::string& name) {
  const UniqueFd fd(::openat(folder, name.c_str(), kReadFile | O_NOFOLLOW));
  if (!fd && errno == ENOENT) return std::nullopt;
  const auto path = shown + "/" + name;
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0) return fail_errno("opening " + path);
  if (auto good = check_owned_file(about, path); !good) return not_safe(good.error());
  const auto text = read_opened(fd);
  if (!text) return not_usable(path, text.error().message);
  auto record = parse_trust_record(*text);
  if (!record) return not_usable(path, "is damaged, or of another version of weir");
  return record;
}

}  // namespace

const TrustEntry* TrustRecord::find(const std::string& key, const std::string& subject) const {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const TrustEntry& entry) {
    return entry.key == key && entry.subject == subject;
  });
  return at == entries.end() ? nullptr : &*at;
}

std::string to_text(const TrustRecord& record) {
  auto out = fmt::format(
      "# Written by `weir trust`: what the project in this folder may do.\nweir-trust = {}\nfolder = {}\n"
      "owner = {}\nsince = {}\n",
      kRecordFormat, toml_quoted(record.folder), record.owner, toml_quoted(record.since));
  for (const auto& [key, subject, content] : record.entries)
    out += fmt::format("\n[[allow]]\nkey = {}\nsubject = {}\ncontent = {}\n", toml_quoted(key),
                       toml_quoted(subject), toml_quoted(content));
  return out;
}

std::optional<TrustRecord> parse_trust_record(std::string_view text) {
  Diagnostics diagnostics;
  auto document = parse_toml(text, kNoFile, diagnostics);
  if (!document) return std::nullopt;
  TrustRecord record;
  TableReader reader(*document, "trust", diagnostics);
  const auto* format = reader.take("weir-trust");
  if (!format || !format->integer() || *format->integer() != kRecordFormat) return std::nullopt;
  PlacedText folder;
  reader.required_text("folder", folder);
  record.folder = toml_unquoted(folder.text);
  const auto* owner = reader.take("owner");
  if (!owner || !owner->integer() || !std::in_range<uid_t>(*owner->integer())) return std::nullopt;
  record.owner = static_cast<uid_t>(*owner->integer());
  reader.text("since", record.since);
  record.since = toml_unquoted(record.since);
  if (auto* items = reader.take_array("allow"))
    for (auto& item : *items) {
      TableReader inner(item, "[[allow]]", diagnostics);
      TrustEntry entry;
      PlacedText key;
      inner.required_text("key", key);
      inner.text("subject", entry.subject);
      inner.text("content", entry.content);
      inner.finish();
      record.entries.push_back(
          {toml_unquoted(key.text), toml_unquoted(entry.subject), toml_unquoted(entry.content)});
    }
  reader.finish();
  if (diagnostics.has_errors()) return std::nullopt;
  return record;
}

std::optional<TrustRecords> TrustRecords::of_user() {
  if (const auto* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return TrustRecords(std::string(state) + "/weir/trust");
  const auto home = home_folder(std::getenv("HOME"));
  if (home.empty()) return std::nullopt;
  return TrustRecords(home + "/.local/state/weir/trust");
}

Result<std::optional<TrustRecord>> TrustRecords::load(const std::string& root) const {
  const auto folder = open_folder(folder_);
  if (!folder) return tl::unexpected(folder.error());
  if (!*folder) return std::nullopt;
  auto record = read_record(folder->get(), folder_, name_of(root));
  if (!record || !*record) return record;
  if ((*record)->folder != root || owner_of(root) != (*record)->owner) return std::nullopt;
  return record;
}

Status TrustRecords::save(const TrustRecord& record) const {
  if (auto made = make_owned_folder(folder_); !made) return not_safe(made.error());
  const auto folder = open_folder(folder_);
  if (!folder) return tl::unexpected(folder.error());
  if (!*folder) return fail(Reason::system, folder_ + " was removed meanwhile");
  const auto name = name_of(record.folder), written = fmt::format("{}.{}.tmp", name, ::getpid());
  ::unlinkat(folder->get(), written.c_str(), 0);
  const UniqueFd fd(
      ::openat(folder->get(), written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(fmt::format("writing {}/{}", folder_, name));
  if (write_all(fd.get(), to_text(record)) && ::fsync(fd.get()) == 0 &&
      ::renameat(folder->get(), written.c_str(), folder->get(), name.c_str()) == 0 &&
      ::fsync(folder->get()) == 0)
    return {};
  const int error = errno;
  ::unlinkat(folder->get(), written.c_str(), 0);
  return fail_errno(fmt::format("writing {}/{}", folder_, name), error);
}

Result<bool> TrustRecords::remove(const std::string& root) const {
  const auto folder = open_folder(folder_);
  if (!folder) return tl::unexpected(folder.error());
  if (!*folder) return false;
  if (::unlinkat(folder->get(), name_of(root).c_str(), 0) == 0) return true;
  if (errno == ENOENT) return false;
  return fail_errno(fmt::format("removing {}/{}", folder_, name_of(root)));
}

Result<std::vector<TrustRecord>> TrustRecords::list() const {
  std::vector<TrustRecord> all;
  auto folder = open_folder(folder_);
  if (!folder) return tl::unexpected(folder.error());
  if (!*folder) return all;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(folder->get()), ::closedir);
  const int listed = folder->release();
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    if (!std::string_view(entry->d_name).ends_with(".toml")) continue;
    auto record = read_record(listed, folder_, entry->d_name);
    if (!record) return tl::unexpected(record.error());
    if (*record) all.push_back(std::move(**record));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return all;
}

std::optional<uid_t> owner_of(const std::string& folder) {
  struct stat about {};
  return ::stat(folder.c_str(), &about) == 0 ? std::optional(about.st_uid) : std::nullopt;
}

}  // namespace weir
