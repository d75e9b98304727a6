// What differs between new plugins of the types, each in a file of its own.
#pragma once

#include <string_view>

namespace weir::cli {

struct PluginTemplate {
  std::string_view source;
  std::string_view project;
  std::string_view build_options = {};
  std::string_view build_more = {};
  bool configured = false;  // the project has to know where it is built
};

PluginTemplate element_template();
PluginTemplate source_template();
PluginTemplate queue_template();
PluginTemplate remote_template();
PluginTemplate allocator_template();
PluginTemplate placer_template();

}  // namespace weir::cli
