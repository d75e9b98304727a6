#include "plugins/host/kinds.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/owned_path.h"
#include "core/base/text.h"
#include "plugins/host/adapter.h"
#include "plugins/host/adapters.h"
#include "plugins/host/own_kinds.h"

namespace weir {

namespace {

using Origin = PluginPlace::Origin;

// "make" of "element-make.so".
std::optional<std::string_view> kind_in(std::string_view file_name, PluginType type) {
  const auto stem = to_string(type);
  if (!file_name.starts_with(stem) || !file_name.ends_with(".so") || file_name.size() <= stem.size() + 4 ||
      file_name[stem.size()] != '-')
    return std::nullopt;
  return file_name.substr(stem.size() + 1, file_name.size() - stem.size() - 4);
}

// A link to nothing is there too: what is wrong with it is told when it is loaded.
bool is_there(const std::string& file) {
  return ::faccessat(AT_FDCWD, file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

// The user's folder is looked in unasked, and plugins have all rights of the user: nobody else may have put
// one there.
Status check_user_library(const PluginPlace& library) {
  if (library.origin != Origin::user) return {};
  const auto place = resolve_path(library.path, Way::owned);
  if (!place && place.error().reason != Reason::usage) return {};  // told when it is loaded
  auto good = place ? Status() : tl::unexpected(place.error());
  if (place && place->found && S_ISREG(place->info.st_mode))
    good = check_owned_file(place->info, library.path);
  if (good) return good;
  return fail(Reason::usage,
              fmt::format("the plugin {} is not safe to use: {}", library.path, good.error().message),
              good.error().remedy);
}

}  // namespace

Result<const ElementKind*> Kinds::element(std::string_view name) {
  return find(elements_, PluginType::element, name, adapt_element);
}
Result<const SourceKind*> Kinds::source(std::string_view name) {
  return find(sources_, PluginType::source, name, adapt_source);
}
Result<const QueueKind*> Kinds::queue(std::string_view name) {
  return find(queues_, PluginType::queue, name, adapt_queue);
}
Result<const RemoteKind*> Kinds::remote(std::string_view scheme) {
  auto kind = find(remotes_, PluginType::remote, scheme, adapt_remote);
  if (!kind && kind.error().reason == Reason::not_found && scheme.ends_with('s')) {
    const auto name = scheme.substr(0, scheme.size() - 1);
    auto shorter = find(remotes_, PluginType::remote, name, adapt_remote);
    if (shorter || shorter.error().reason != Reason::not_found || is_own_kind(PluginType::remote, name))
      kind = shorter;
  }
  if (!kind) return kind;
  const auto& schemes = (*kind)->schemes();
  if (std::find(schemes.begin(), schemes.end(), scheme) != schemes.end()) return kind;
  return fail(Reason::not_found,
              fmt::format("the remote kind {} knows no URLs with {}:", (*kind)->name(), scheme),
              fmt::format("it knows {}", fmt::join(schemes, ", ")));
}
Result<const AllocatorKind*> Kinds::allocator(std::string_view name) {
  return find(allocators_, PluginType::allocator, name, adapt_allocator);
}
Result<const PlacerKind*> Kinds::placer(std::string_view name) {
  return find(placers_, PluginType::placer, name, adapt_placer);
}

template <class Interface, class Adapt>
Result<const Interface*> Kinds::find(Made<Interface>& made, PluginType type, std::string_view name,
                                     const Adapt& adapt) {
  auto at = made.find(name);
  if (at == made.end()) {
    auto library = library_of(type, name);
    Result<std::unique_ptr<Interface>> kind =
        library ? adapt(*library, *(*library)->find(type, name))
                : Result<std::unique_ptr<Interface>>(tl::unexpected(library.error()));
    at = made.emplace(std::string(name), std::move(kind)).first;
  }
  if (!at->second) return tl::unexpected(at->second.error());
  return at->second->get();
}

// The first place that has it. Libraries in folders are known by their names; those that are named one by one
// may be called anything, and are loaded to know.
Result<Kinds::Library> Kinds::library_of(PluginType type, std::string_view name) {
  // It would lead out of the folders of plugins.
  if (name.find('/') != name.npos) return tl::unexpected(not_found(type, name));
  for (const auto& place : path_) {
    const PluginPlace found{place.origin,
                            place.is_file() ? place.path : place.path + "/" + library_name(type, name)};
    if (!place.is_file() && !is_there(found.path)) continue;
    if (auto good = check_own(found, type, name); !good && !place.is_file())
      return tl::unexpected(good.error());
    auto library = load(found);
    if (!library) return library;
    const bool has = (*library)->find(type, name) != nullptr;
    if (!has && place.is_file()) continue;
    if (!has)
      return fail(Reason::project,
                  fmt::format("the plugin {} has no {} kind {}", (*library)->title(), to_string(type), name),
                  "its name says that it has; `weir plugin list` shows what is in it");
    if (auto good = check_own(found, type, name); !good) return tl::unexpected(good.error());
    return library;
  }
  return tl::unexpected(not_found(type, name));
}

// What comes with weir has one meaning everywhere.
Status Kinds::check_own(const PluginPlace& found, PluginType type, std::string_view name) const {
  for (const auto& place : path_) {
    if (place.origin != Origin::weir || found.origin == Origin::weir) continue;
    const auto file = place.path + "/" + library_name(type, name);
    if (is_there(file))
      return fail(Reason::project,
                  fmt::format("the plugin {}: the {} kind {} is weir's own, in {}", found.path,
                              to_string(type), name, file),
                  "kinds of weir cannot be replaced; give it another name");
  }
  return {};
}

Result<Kinds::Library> Kinds::load_bytes(const PluginPlace& place) const {
  if (place.origin != Origin::project || !open_of_project_) return PluginLibrary::load(place.path);
  const auto from = open_of_project_(place.path);
  if (!from) return tl::unexpected(from.error());
  return PluginLibrary::load(place.path, *from);
}

Result<Kinds::Library> Kinds::load(const PluginPlace& place) {
  const auto known = libraries_.find(place.path);
  if (known != libraries_.end()) return known->second;
  if (auto safe = check_user_library(place); !safe)
    return libraries_.emplace(place.path, tl::unexpected(safe.error())).first->second;
  auto library = load_bytes(place);
  if (library)
    if (auto good = check_origin(**library, place.origin); !good) library = tl::unexpected(good.error());
  return libraries_.emplace(place.path, std::move(library)).first->second;
}

// The name is part of the keys: nobody else's results may pass for weir's own.
Status Kinds::check_origin(const PluginLibrary& library, Origin origin) const {
  if (library.name != kOwnPlugin || origin == Origin::weir) return {};
  return fail(Reason::project,
              fmt::format("the plugin {}: only weir's own are called \"{}\"", library.title(), kOwnPlugin),
              "give it a name of its own in weir_plugin.name");
}

Error Kinds::not_found(PluginType type, std::string_view name) const {
  if (is_own_kind(type, name))
    return {Reason::not_found,
            fmt::format("the {} kind \"{}\" of weir is not built here", to_string(type), name),
            how_to_get(type, name)};
  const auto all = names(type);
  std::vector<std::string_view> meant(all.begin(), all.end());
  const auto own = own_kinds(type);
  meant.insert(meant.end(), own.begin(), own.end());
  const auto near = did_you_mean(name, meant);
  std::vector<std::string_view> places;
  for (const auto& place : path_)
    if (!place.is_file()) places.push_back(place.path);
  return {Reason::not_found, fmt::format("unknown {} kind \"{}\"", to_string(type), name),
          near ? fmt::format("did you mean \"{}\"?", *near)
               : fmt::format("known: {}; a plugin would be a file {} in {}", fmt::join(all, ", "),
                             library_name(type, name), fmt::join(places, ", "))};
}

std::vector<std::string> Kinds::names(PluginType type) const {
  std::vector<std::string> all;
  for (const auto& library : list_libraries(path_))
    if (const auto kind = kind_in(library.name, type)) all.emplace_back(*kind);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::string> Kinds::loaded() const {
  std::vector<std::string> all;
  for (const auto& [file, library] : libraries_)
    if (library) all.push_back(file);
  return all;
}

}  // namespace weir
