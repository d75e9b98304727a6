// Whether a project may do what it wants to do (core/build/trust_items.h): it may if the user allowed exactly
// that (core/build/trust_record.h), or trusts every project of the folder (--trust, WEIR_TRUST, [trust]
// folders). Otherwise the user is asked at a terminal, and nothing is done anywhere else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/build/trust_items.h"
#include "core/build/trust_record.h"
#include "plugins/host/kinds.h"

namespace weir::cli {

// An item that the user has not allowed.
struct Untrusted {
  std::size_t item = 0;
  bool has_changed = false;  // another content was allowed
};

struct ProjectTrust {
  TrustItems items;
  std::vector<Untrusted> untrusted;  // in their order
  bool of_all = false;               // whatever it wants to do
  bool was_known = false;            // something was allowed before
  std::string trouble;               // why what was allowed cannot be read; empty: it can

  bool allows(TrustStage stage) const;
};

// The user trusts whatever a project in this folder does.
bool trusts_all(const Settings& settings, const std::string& root);

// Reads contents only of what was allowed before.
ProjectTrust examine_trust(const LoadedProject& loaded, const Settings& settings, TrustItems items);
inline ProjectTrust examine_trust(const LoadedProject& loaded, const Settings& settings) {
  return examine_trust(loaded, settings, trust_items(loaded, settings));
}

enum class Asking : std::uint8_t { no, yes, silently };  // at a terminal; or not even saying why not
// Allowed, or the exit code: it was told what the project wants and how to allow it.
tl::expected<void, int> require_trust(ProjectTrust& trust, const LoadedProject& loaded,
                                      const Settings& settings, TrustStage stage, Asking asking);

// A question on standard error, answered at standard input: both are a terminal.
bool asked_yes(std::string_view question);

// Keeps all items as allowed, with the contents that they have now; what was allowed before and is no item is
// kept or forgotten.
enum class AllowedBefore : bool { forget, keep };
Status grant_trust(ProjectTrust& trust, const LoadedProject& loaded, AllowedBefore before);

// One line for each, with its place.
inline constexpr std::size_t kMostShown = 20;
std::string list_items(const ProjectTrust& trust, const LoadedProject& loaded, TrustStage stage,
                       std::size_t most = kMostShown);

// The libraries of the project that were allowed, as copies in memory that are what was allowed whatever
// becomes of the files. Nothing, if the project may load what it wants to.
Kinds::OpenLibrary trusted_libraries(const ProjectTrust& trust);

// Of what a snapshot was made with.
std::string encode_trust(const ProjectTrust& trust);
bool still_trusts(std::string_view encoded, const std::string& root, const Settings& settings,
                  TrustStage stage);

// Remotes of the project that it may not ask are left out; their URLs.
std::vector<std::string> drop_untrusted_remotes(const ProjectTrust& trust, Settings& settings);

}  // namespace weir::cli
