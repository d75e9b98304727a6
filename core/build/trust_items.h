// What a project wants to do that needs the user's trust (core/project/trust_table.h), each with the place
// that says so. Found without opening anything outside of the project, and without loading or running
// anything: a name is looked at, no content is read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/build/resolve.h"
#include "core/project/load.h"
#include "core/project/settings.h"
#include "core/project/trust_table.h"

namespace weir {

struct TrustItem {
  std::string key;      // of the table: "plugins.path"
  std::string subject;  // of what: a file, a command, a server. With the key it names the item
  std::string content;  // what was agreed to beside the name; of a file its SHA-256, once it was read
  std::string file;     // whose content has to be what was agreed to; empty: the name says it all
  TrustStage stage = TrustStage::open;
  Place place;
  std::vector<std::string> remotes;  // the URLs in [[remote]] that it is about
};
using TrustItems = std::vector<TrustItem>;

// Whether folders of plugins that are outside of the project may be listed: without that, only the folder
// itself is an item.
enum class LookOutside : bool { no, yes };

TrustItems trust_items(const LoadedProject& loaded, const Settings& settings,
                       LookOutside look = LookOutside::no);
// Of hooks alone: a program that was not there may be there now.
TrustItems trust_items_of_hooks(const LoadedProject& loaded, const Settings& settings);
// Of sources whose kinds read other paths of the project than `path` says.
TrustItems trust_items_of_kinds(const LoadedProject& loaded, std::span<const ResolvedElement> resolved);

// SHA-256 of a regular file.
Result<std::string> content_of_file(const std::string& file);

// "loads a plugin into weir: plugins/element-x.so"; fit for a terminal.
std::string to_text(const TrustItem& item);
std::string trust_text(const std::string& key, const std::string& subject);

}  // namespace weir
