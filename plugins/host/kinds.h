// All kinds that a project can use, by name. A library is loaded when a kind of it is first asked for, and
// not before. One thread at a time; the kinds themselves may be asked on any.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/kind.h"
#include "core/model/placement_kind.h"
#include "core/model/remote.h"
#include "plugins/host/plugin_path.h"

namespace weir {

class Kinds {
 public:
  // Those that come with weir, and those of the user and the system.
  Kinds() : Kinds(plugin_path({}, {})) {}
  // A path to the bytes of a library of the project, which are loaded in place of the file; an Error if it
  // may not be loaded.
  using OpenLibrary = std::function<Result<std::string>(const std::string& file)>;
  explicit Kinds(PluginPath path, OpenLibrary open_of_project = {})
      : path_(std::move(path)), open_of_project_(std::move(open_of_project)) {}

  // Reason::not_found if there is none of that name; else an Error is of the library that should have it.
  Result<const ElementKind*> element(std::string_view name);
  Result<const SourceKind*> source(std::string_view name);
  Result<const QueueKind*> queue(std::string_view name);
  // Of the kind that knows the scheme of the URL: the one of its name, or of its name without the last "s".
  Result<const RemoteKind*> remote(std::string_view scheme);
  Result<const AllocatorKind*> allocator(std::string_view name);
  Result<const PlacerKind*> placer(std::string_view name);

  // By the names of the files that are there, sorted; nothing is loaded.
  std::vector<std::string> names(PluginType type) const;
  const PluginPath& path() const { return path_; }
  // The files of those that were loaded.
  std::vector<std::string> loaded() const;

 private:
  using Library = std::shared_ptr<const PluginLibrary>;
  template <class Interface>
  using Made = std::map<std::string, Result<std::unique_ptr<Interface>>, std::less<>>;
  template <class Interface, class Adapt>
  Result<const Interface*> find(Made<Interface>& made, PluginType type, std::string_view name,
                                const Adapt& adapt);
  Result<Library> library_of(PluginType type, std::string_view name);
  Status check_own(const PluginPlace& found, PluginType type, std::string_view name) const;
  Result<Library> load(const PluginPlace& place);
  Result<Library> load_bytes(const PluginPlace& place) const;
  Status check_origin(const PluginLibrary& library, PluginPlace::Origin origin) const;
  Error not_found(PluginType type, std::string_view name) const;

  PluginPath path_;
  OpenLibrary open_of_project_;
  std::map<std::string, Result<Library>> libraries_;  // by file
  Made<ElementKind> elements_;
  Made<SourceKind> sources_;
  Made<QueueKind> queues_;
  Made<RemoteKind> remotes_;
  Made<AllocatorKind> allocators_;
  Made<PlacerKind> placers_;
};

}  // namespace weir
