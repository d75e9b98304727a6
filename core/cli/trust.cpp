#include "core/cli/trust.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <map>

#include "core/base/fd.h"
#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/base/real_path.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/cli/exit_codes.h"
#include "core/cli/person.h"
#include "core/cli/tell.h"
#include "core/project/diagnostic_text.h"
#include "core/store/digest.h"

namespace weir::cli {

namespace {

// Nothing: it may not be trusted as it is.
std::optional<TrustRecord> known_record(const std::string& root, std::string& trouble) {
  const auto records = TrustRecords::of_user();
  if (!records) return std::nullopt;
  auto record = records->load(root);
  if (record) return std::move(*record);
  trouble = to_text(record.error());
  return std::nullopt;
}

// What was read becomes the item's content.
bool is_allowed(const TrustRecord& record, TrustItem& item, Untrusted& untrusted) {
  const auto* entry = record.find(item.key, item.subject);
  if (entry == nullptr) return false;
  if (!item.file.empty()) {
    const auto content = content_of_file(item.file);
    item.content = content ? *content : "";
  }
  untrusted.has_changed = entry->content != item.content;
  return !untrusted.has_changed;
}

// Of a folder of somebody else, as git has it: " (it belongs to ann)".
std::string owner_text(const std::string& folder) {
  const auto owner = owner_of(folder);
  if (!owner || *owner == ::geteuid()) return {};
  const auto* entry = ::getpwuid(*owner);
  return fmt::format(" (it belongs to {})",
                     entry ? printable(entry->pw_name) : fmt::format("user {}", *owner));
}

std::string today() {
  const auto now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

void print_refusal(const ProjectTrust& trust, const LoadedProject& loaded, TrustStage stage,
                   bool is_question) {
  weir::print(stderr, "{}{}{} is not trusted{}, and it\n{}",
              is_question ? "" : "error: ", printable(loaded.project.root), owner_text(loaded.project.root),
              trust.was_known ? " as it is now" : "",
              // What is agreed to is shown.
              list_items(trust, loaded, stage, is_question ? trust.items.size() : kMostShown));
  if (!trust.trouble.empty()) weir::print(stderr, "  {}\n", printable(trust.trouble));
}

// A copy of the file whose bytes can no longer be changed, by nobody, if they are those that were allowed. A
// descriptor of the file itself would not do: who writes into the file changes what is mapped of it.
Result<UniqueFd> sealed_copy(const std::string& file, const std::string& content) {
  const auto changed = [&] {
    return fail(Reason::project, fmt::format("the plugin {}: it has changed since it was trusted", file),
                "`weir trust` shows and allows it");
  };
  const UniqueFd from(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about {};
  if (!from || ::fstat(from.get(), &about) != 0) return fail_errno("reading the plugin " + file);
  if (!S_ISREG(about.st_mode)) return changed();
  UniqueFd copy(::memfd_create("weir-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!copy) return fail_errno("copying the plugin " + file);
  store::Hasher hasher;
  std::string chunk(1 << 18, '\0');
  for (;;) {
    const auto got = ::read(from.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("reading the plugin " + file);
    if (got == 0) break;
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
    hasher.update(bytes);
    if (!write_all(copy.get(), bytes)) return fail_errno("copying the plugin " + file);
  }
  if (::fcntl(copy.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail_errno("copying the plugin " + file);
  if (hasher.finish().hex() != content) return changed();
  return copy;
}

}  // namespace

bool trusts_all(const Settings& settings, const std::string& root) {
  if (settings.trust.origin.layer != Origin::Layer::built_in) return settings.trust.value;
  return std::any_of(settings.trusted_folders.begin(), settings.trusted_folders.end(),
                     [&](const std::string& folder) { return is_inside(root, folder); });
}

bool ProjectTrust::allows(TrustStage stage) const {
  return of_all || std::none_of(untrusted.begin(), untrusted.end(),
                                [&](const Untrusted& one) { return items[one.item].stage <= stage; });
}

ProjectTrust examine_trust(const LoadedProject& loaded, const Settings& settings, TrustItems items) {
  ProjectTrust trust;
  trust.items = std::move(items);
  const auto& root = loaded.project.root;
  trust.of_all = trusts_all(settings, root);
  if (trust.of_all || trust.items.empty()) return trust;
  const auto record = known_record(root, trust.trouble);
  trust.was_known = record.has_value();
  // A folder of plugins elsewhere that was allowed may be listed.
  const bool listed =
      record && std::any_of(trust.items.begin(), trust.items.end(), [&](const TrustItem& item) {
        return item.key == "plugins.path" && item.subject.ends_with('/') &&
               record->find(item.key, item.subject);
      });
  if (listed) trust.items = trust_items(loaded, settings, LookOutside::yes);
  for (std::size_t i = 0; i < trust.items.size(); ++i) {
    Untrusted untrusted{i, false};
    if (!record || !is_allowed(*record, trust.items[i], untrusted)) trust.untrusted.push_back(untrusted);
  }
  return trust;
}

std::string list_items(const ProjectTrust& trust, const LoadedProject& loaded, TrustStage stage,
                       std::size_t most) {
  std::string out;
  std::size_t shown = 0, more = 0;
  for (const auto& [index, has_changed] : trust.untrusted) {
    const auto& item = trust.items[index];
    if (item.stage > stage) continue;
    if (shown == most) {
      ++more;
      continue;
    }
    ++shown;
    const auto place = to_text(item.place, loaded.files);
    out += fmt::format("  {}{}{}{}\n", place, place.empty() ? "" : ": ", to_text(item),
                       has_changed       ? " (changed since it was trusted)"
                       : trust.was_known ? " (new)"
                                         : "");
  }
  if (more > 0) out += fmt::format("  and {} more, which `weir trust` shows\n", more);
  return out;
}

bool asked_yes(std::string_view question) {
  ::tcflush(STDIN_FILENO, TCIFLUSH);  // what was typed before the question is no answer to it
  weir::print(stderr, "{} [y/N] ", question);
  std::string answer;
  for (char c = 0; ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) answer += c;
  return answer == "y" || answer == "Y" || answer == "yes";
}

Status grant_trust(ProjectTrust& trust, const LoadedProject& loaded, AllowedBefore before) {
  const auto records = TrustRecords::of_user();
  if (!records)
    return fail(Reason::usage, "cannot save trust: no home directory",
                "set HOME or XDG_STATE_HOME, or use --trust for one command");
  const auto& root = loaded.project.root;
  const auto owner = owner_of(root);
  if (!owner) return fail_errno("looking at " + root);
  TrustRecord record{root, *owner, today(), {}};
  for (auto& item : trust.items) {
    if (!item.file.empty() && item.content.empty()) {
      auto content = content_of_file(item.file);
      if (!content) return tl::unexpected(content.error());
      item.content = std::move(*content);
    }
    record.entries.push_back({item.key, item.subject, item.content});
  }
  if (before == AllowedBefore::keep)
    if (const auto known = records->load(root); known && *known)
      for (const auto& entry : (*known)->entries)
        if (!record.find(entry.key, entry.subject)) record.entries.push_back(entry);
  if (auto saved = records->save(record); !saved) return saved;
  trust.untrusted.clear();
  return {};
}

tl::expected<void, int> require_trust(ProjectTrust& trust, const LoadedProject& loaded,
                                      const Settings& settings, TrustStage stage, Asking asking) {
  if (trust.allows(stage)) return {};
  if (asking == Asking::silently) return tl::unexpected(kUsage);
  const bool can_ask = asking == Asking::yes && person_is_there();
  print_refusal(trust, loaded, stage, can_ask);
  if (!can_ask) {
    weir::print(stderr,
                "  `weir trust` shows and allows it; --trust or WEIR_TRUST=1 allows it for one command\n");
    return tl::unexpected(kUsage);
  }
  if (!asked_yes("Trust this project?")) {
    weir::print(stderr, "not trusted; nothing was run\n");
    return tl::unexpected(kUsage);
  }
  // What was not shown was not agreed to.
  ProjectTrust agreed = trust;
  for (auto one = trust.untrusted.rbegin(); one != trust.untrusted.rend(); ++one)
    if (trust.items[one->item].stage > stage)
      agreed.items.erase(agreed.items.begin() + static_cast<std::ptrdiff_t>(one->item));
  if (const auto granted = grant_trust(agreed, loaded, AllowedBefore::keep); !granted)
    return tl::unexpected(tell(granted.error()));
  trust = examine_trust(loaded, settings);
  // There may be more to ask: what a folder of plugins elsewhere holds is seen only now.
  return require_trust(trust, loaded, settings, stage, asking);
}

Kinds::OpenLibrary trusted_libraries(const ProjectTrust& trust) {
  if (trust.of_all) return {};
  std::map<std::string, std::string> contents;
  for (const auto& item : trust.items)
    if (item.key == "plugins.path" && !item.file.empty()) contents.emplace(item.file, item.content);
  return [contents = std::move(contents)](const std::string& file) -> Result<std::string> {
    const auto known = contents.find(file);
    if (known == contents.end() && ::faccessat(AT_FDCWD, file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0)
      return fail(Reason::project,
                  fmt::format("the plugin {}: cannot be read: {}", file, std::strerror(errno)),
                  "put the library there, or take it out of `path` of [plugins]");
    if (known == contents.end())
      return fail(Reason::project, fmt::format("the plugin {} is not trusted", file),
                  "`weir trust` shows and allows it");
    auto copy = sealed_copy(file, known->second);
    if (!copy) return tl::unexpected(copy.error());
    // Never closed: the loader knows a library by its path, and would take the next one there for this one.
    return fmt::format("/proc/self/fd/{}", copy->release());
  };
}

std::string encode_trust(const ProjectTrust& trust) {
  wire::Writer out;
  for (const auto& item : trust.items) {
    out.u8(static_cast<std::uint8_t>(item.stage));
    out.text(item.key);
    out.text(item.subject);
    out.text(item.content);
  }
  return out.take();
}

bool still_trusts(std::string_view encoded, const std::string& root, const Settings& settings,
                  TrustStage stage) {
  if (encoded.empty() || trusts_all(settings, root)) return true;
  std::string trouble;
  const auto record = known_record(root, trouble);
  if (!record) return false;
  wire::Reader in(encoded);
  while (in.ok() && !in.at_end()) {
    const bool matters = in.u8() <= static_cast<std::uint8_t>(stage);
    const std::string key(in.text()), subject(in.text()), content(in.text());
    const auto* entry = record->find(key, subject);
    if (matters && (!entry || entry->content != content)) return false;
  }
  return in.ok();
}

std::vector<std::string> drop_untrusted_remotes(const ProjectTrust& trust, Settings& settings) {
  std::vector<std::string> dropped;
  if (trust.of_all) return dropped;
  std::erase_if(settings.remotes.value, [&](const Remote& remote) {
    const bool drop = std::any_of(trust.untrusted.begin(), trust.untrusted.end(), [&](const Untrusted& one) {
      const auto& remotes = trust.items[one.item].remotes;
      return std::find(remotes.begin(), remotes.end(), remote.url) != remotes.end();
    });
    if (drop) dropped.push_back(without_passwords(remote.url));
    return drop;
  });
  return dropped;
}

}  // namespace weir::cli
