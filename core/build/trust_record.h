// What the user has allowed projects to do, one small file for each folder:
//
//   $XDG_STATE_HOME/weir/trust/<hash of the folder>.toml      (default: ~/.local/state)
//
// A record is of a folder (its path without links, and its owner) and lists each thing that was allowed with
// its content. The files belong to the user and are readable by nobody else; a file, or folder of them, that
// somebody else could have written is an error, never a permission.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/build/trust_items.h"

namespace weir {

struct TrustEntry {
  std::string key, subject, content;
  bool operator==(const TrustEntry&) const = default;
};

struct TrustRecord {
  std::string folder;
  uid_t owner = 0;
  std::string since;  // "2026-11-19", for people
  std::vector<TrustEntry> entries;

  const TrustEntry* find(const std::string& key, const std::string& subject) const;
  bool operator==(const TrustRecord&) const = default;
};

class TrustRecords {
 public:
  explicit TrustRecords(std::string folder) : folder_(std::move(folder)) {}
  // Of this user; nothing without a home directory.
  static std::optional<TrustRecords> of_user();

  // Nothing: there is none, or the folder has another owner now.
  Result<std::optional<TrustRecord>> load(const std::string& root) const;
  Status save(const TrustRecord& record) const;
  // False: there was none.
  Result<bool> remove(const std::string& root) const;
  // By folder, those that are gone too.
  Result<std::vector<TrustRecord>> list() const;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

// Of a folder as it is now; nothing if it is not there.
std::optional<uid_t> owner_of(const std::string& folder);

std::string to_text(const TrustRecord& record);  // as in its file
std::optional<TrustRecord> parse_trust_record(std::string_view text);

}  // namespace weir
