#include "plugins/host/own_kinds.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir {

namespace {

constexpr std::string_view kElements[] = {"autotools", "cmake", "import", "make", "meson", "script", "stack"};
constexpr std::string_view kSources[] = {"file", "git", "local", "patch", "tar"};
constexpr std::string_view kQueues[] = {"test"};
constexpr std::string_view kRemotes[] = {"dir", "grpc", "http"};
constexpr std::string_view kAllocators[] = {"load-based", "none"};
constexpr std::string_view kPlacers[] = {"cache-aware", "local"};

// Those with many libraries below them have a Debian package of their own (cmake/weir_package.cmake).
bool has_own_package(PluginType type, std::string_view name) {
  return type == PluginType::remote && name != "dir";
}

}  // namespace

std::span<const std::string_view> own_kinds(PluginType type) {
  switch (type) {
    case PluginType::element: return kElements;
    case PluginType::source: return kSources;
    case PluginType::queue: return kQueues;
    case PluginType::remote: return kRemotes;
    case PluginType::allocator: return kAllocators;
    case PluginType::placer: return kPlacers;
  }
  return {};
}

bool is_own_kind(PluginType type, std::string_view name) {
  const auto all = own_kinds(type);
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::string how_to_get(PluginType type, std::string_view name) {
  const std::string build = "run `cmake/build-all` in the source tree of weir";
  if (!has_own_package(type, name)) return build;
  return fmt::format("install the package weir-remote-{}, or {}", name, build);
}

}  // namespace weir
