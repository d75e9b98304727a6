#include "core/build/environment.h"

#include <algorithm>

namespace weir {

namespace {

void replace_jobs(std::string& text, const std::string& count) {
  constexpr std::string_view kJobsVariable = "%{jobs}";
  for (auto at = text.find(kJobsVariable); at != text.npos; at = text.find(kJobsVariable, at + count.size()))
    text.replace(at, kJobsVariable.size(), count);
}

}  // namespace

Environment element_environment(const Project& project, const Element& element, const Environment& of_kind,
                                const JobLayout& layout) {
  const auto& prefix = layout.prefix;
  Environment all = {
      {"PATH", prefix + "/bin:" + std::string(kHostPath)},
      {"HOME", "/tmp"},
      {"LC_ALL", "C.UTF-8"},
      {"SOURCE_DATE_EPOCH", "946684800"},
      {"PKG_CONFIG_PATH", prefix + "/lib/pkgconfig:" + prefix + "/share/pkgconfig"},
      {"CMAKE_PREFIX_PATH", prefix},
      {"CPATH", prefix + "/include"},
      {"LIBRARY_PATH", prefix + "/lib"},
      {"LD_LIBRARY_PATH", prefix + "/lib"},
  };
  // A handful, so looking at all of them is cheaper than a tree.
  const auto set = [&all](const std::string& name, std::string value) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == name; });
    if (at != all.end()) at->second = std::move(value);
    else all.emplace_back(name, std::move(value));
  };
  for (const auto& [name, value] : of_kind) set(name, value);
  for (const auto& [name, value] : environment_of(project, element)) set(name, value);
  set("WEIR_PREFIX", project.prefix);
  set("DESTDIR", layout.install);
  set("WEIR_OUT", layout.install + project.prefix);
  std::sort(all.begin(), all.end());
  return all;
}

void set_variable(Environment& environment, std::string_view name, std::string value) {
  const auto at = std::find_if(environment.begin(), environment.end(),
                               [&](const auto& one) { return one.first >= name; });
  if (at != environment.end() && at->first == name) at->second = std::move(value);
  else environment.insert(at, {std::string(name), std::move(value)});
}

void set_jobs(std::vector<Step>& steps, Environment& environment, std::uint32_t cores) {
  const auto count = std::to_string(cores);
  for (auto& step : steps)
    if (auto* run = std::get_if<RunStep>(&step))
      for (auto& word : run->argv) replace_jobs(word, count);
  for (auto& [name, value] : environment) replace_jobs(value, count);
  set_variable(environment, "WEIR_JOBS", count);
}

}  // namespace weir
