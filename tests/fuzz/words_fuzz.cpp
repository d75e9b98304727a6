// Small texts that somebody else wrote: MAKEFLAGS, durations and sizes, decimals, globs, URLs, digests, paths
// of jobs, the status of bubblewrap, numbers of the kernel's files, refs of a git server.
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/exec/logical_path.h"
#include "core/exec/outer_jobserver.h"
#include "core/exec/sandbox.h"
#include "core/placement/decimal.h"
#include "core/placement/requestor_map.h"
#include "core/project/credentials.h"
#include "core/project/targets.h"
#include "core/store/digest.h"
#include "plugins/sources/git_refs.h"
#include "plugins/sources/url.h"
#include "resources/cgroups.h"
#include "tests/fuzz/fuzz_target.h"

#include <weir/barrier.hpp>

namespace weir {

namespace {

void try_decimal(std::string_view text) {
  const auto number = Decimal::parse(text);
  if (!number) return;
  const auto again = Decimal::parse(number->text());
  WEIR_ASSERT(again && *again == *number, "{} is not {}", number->text(), text);
  (void)number->whole();
  (void)number->approximate();
  WEIR_ASSERT((*number <=> Decimal(1)) != std::strong_ordering::equal || *number == Decimal(1), "order");
}

void try_digest(std::string_view text) {
  if (const auto hash = store::parse_hex(text)) WEIR_ASSERT(store::to_hex(*hash) == text, "{}", text);
  if (const auto digest = store::Digest::parse(text)) {
    const auto again = store::Digest::parse(digest->text());
    WEIR_ASSERT(again && *again == *digest, "{}", text);
  }
  (void)store::Key::parse(text);
}

void try_url(const std::string& text) {
  if (const auto server = server_of(text)) {
    WEIR_ASSERT(!server->scheme.empty(), "no scheme in {}", text);
    for (const unsigned char c : server->host)
      WEIR_ASSERT(c > 0x20 && c != 0x7f && c != '@' && c != '/' && !(c >= 'A' && c <= 'Z'), "host of {}",
                  text);
    (void)is_encrypted(*server);
  }
  (void)without_passwords(text);
  (void)kinds::scheme_of(text);
  const auto name = kinds::file_name_of(text);
  WEIR_ASSERT(name.find('/') == name.npos, "a name with a slash: {}", name);
}

void try_logical_path(std::string_view text) {
  const auto path = split_logical_path(text);
  if (!path) return;
  WEIR_ASSERT(!path->rest.starts_with('/') && path->rest != ".." && !path->rest.starts_with("../") &&
                  path->rest.find("/../") == text.npos && !path->rest.ends_with("/.."),
              "{} leads out", text);
}

void try_git_refs(std::string_view refs, std::string_view track) {
  try {
    (void)kinds::find_git_ref(refs, track);
  } catch (const sdk::Refused&) {
  }
  WEIR_ASSERT(!kinds::version_less(track, track), "{} is less than itself", track);
  if (kinds::version_less(track, refs))
    WEIR_ASSERT(!kinds::version_less(refs, track), "{} and {} are both less", track, refs);
}

}  // namespace

// A line, and the rest of the input.
WEIR_FUZZ_TARGET(words) {
  fuzz::Choices choices(input);
  const auto which = choices.byte() % 8;
  const auto all = choices.rest();
  const auto end = std::min(all.find('\n'), all.size());
  const auto line = all.substr(0, end), rest = all.substr(std::min(end + 1, all.size()));
  switch (which) {
    case 0: (void)parse_make_flags(all); break;
    case 1: {
      if (const auto duration = parse_duration(line))
        WEIR_ASSERT(duration->count() >= 0, "{} is negative", line);
      (void)parse_bytes(line);
      const std::string_view known[] = {"status", "cancel", rest};
      (void)did_you_mean(line, known);
      break;
    }
    case 2: try_decimal(line); break;
    case 3: (void)glob_matches(line, rest); break;
    case 4: try_url(std::string(line)); break;
    case 5: try_digest(line); break;
    case 6:
      try_logical_path(line);
      (void)parse_sandbox_status(all);
      (void)parse_number(line);
      (void)number_after(rest, line);
      break;
    default: try_git_refs(rest, line); break;
  }
}

}  // namespace weir
