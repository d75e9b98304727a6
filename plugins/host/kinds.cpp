#include "plugins/host/kinds.h"

#include "plugins/elements/elements.h"
#include "plugins/sources/sources.h"

namespace weir {

namespace {

template <class Map>
auto find_in(const Map& map, std::string_view name) {
  const auto at = map.find(name);
  return at == map.end() ? nullptr : at->second.get();
}

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : map) names.push_back(name);
  return names;
}

}  // namespace

Kinds::Kinds() {
  const auto add = [](auto& to, auto kind) { to.emplace(kind->name(), std::move(kind)); };
  add(elements_, make_script_kind());
  add(elements_, make_import_kind());
  add(elements_, make_stack_kind());
  add(elements_, make_make_kind());
  add(elements_, make_autotools_kind());
  add(elements_, make_cmake_kind());
  add(elements_, make_meson_kind());
  add(sources_, make_local_kind());
  add(sources_, make_git_kind());
  add(sources_, make_tar_kind());
  add(sources_, make_file_kind());
  add(sources_, make_patch_kind());
}

const ElementKind* Kinds::element(std::string_view name) const { return find_in(elements_, name); }
const SourceKind* Kinds::source(std::string_view name) const { return find_in(sources_, name); }
std::vector<std::string> Kinds::element_names() const { return names_of(elements_); }
std::vector<std::string> Kinds::source_names() const { return names_of(sources_); }

}  // namespace weir
