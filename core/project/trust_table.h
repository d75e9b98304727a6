// Every key that a project can set, and what the key can do to the user who opens or builds it. There is no
// other list: a key that the loader or a kind of weir reads and that is not in it fails a test
// (tests/unit/core/project/trust_table_test.cpp), so whoever adds a key has to decide.
//
// Commands of elements are harmless in this sense: they run in the sandbox. Where that is switched off, the
// key that switches it off is the one that needs trust.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weir {

enum class KeyEffect : std::uint8_t {
  harmless,
  runs,           // code, outside of the sandbox or with a weaker one
  sends,          // to a server, what was made of files of this machine
  reads_outside,  // files that are not below the project's folder
  listens,        // for connections
};

// When the user must have agreed.
enum class TrustStage : std::uint8_t {
  never,
  open,  // before anything but the project's own text is looked at: `weir show` needs it, too
  run,   // before a job is started or a server that the key names is asked
};

struct KeyRow {
  std::string_view section;  // "" is the top of weir.toml; "source.git": keys of that kind
  std::string_view key;      // "*": names of the user
  KeyEffect effect = KeyEffect::harmless;
  TrustStage stage = TrustStage::never;
  std::string_view what = {};  // of a key that is not harmless: in words, behind "it"
};

std::span<const KeyRow> trust_table();
// nullptr: not classified.
const KeyRow* find_key(std::string_view section, std::string_view key);

}  // namespace weir
