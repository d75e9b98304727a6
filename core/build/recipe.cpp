#include "core/build/recipe.h"

#include "core/base/json_writer.h"
#include "core/build/plan_document.h"

namespace weir {

namespace {

// Raised when the meaning of a recipe changes: all keys change with it.
constexpr int kRecipeFormat = 2;

std::string_view to_string(SandboxRoot root) {
  switch (root) {
    case SandboxRoot::host: return "host";
    case SandboxRoot::staged: return "staged";
    case SandboxRoot::none: break;
  }
  return "none";
}

void write_host(JsonWriter& json, const RecipeParts& parts, Host& host) {
  json.key("host").begin_object();
  json.key("libc").value(host.libc());
  json.key("system").value(host.system());
  json.key("tools").begin_object();
  for (const auto& tool : parts.host_tools) json.key(tool).value(host.version_of(tool));
  json.end_object().end_object();
}

void write_environment(JsonWriter& json, const RecipeParts& parts) {
  json.key("env").begin_object();
  for (const auto& [name, value] : parts.environment) json.key(name).value(value);
  json.end_object();
}

void write_sandbox(JsonWriter& json, const RecipeParts& parts) {
  json.key("sandbox").begin_object();
  json.key("root").value(to_string(parts.sandbox)).key("uid").value(parts.uid);
  // Only where they are allowed: no key of another project depends on it.
  if (parts.user_namespaces) json.key("user-namespaces").value(true);
  json.end_object();
}

// Two plugins may have a kind of one name; those of weir are known by it alone.
void write_plugin(JsonWriter& json, const Kind& kind) {
  if (!kind.plugin().empty()) json.key("plugin").value(kind.plugin());
}

void write_sources(JsonWriter& json, const RecipeParts& parts) {
  json.key("sources").begin_array();
  for (std::size_t i = 0; i < parts.sources.size(); ++i) {
    const auto& source = parts.resolved.sources[i];
    json.begin_object();
    json.key("config").raw(source.facts.key);
    json.key("directory").value(source.directory);
    json.key("kind").value(source.kind->name());
    json.key("place").value(source.stage.place);
    write_plugin(json, *source.kind);
    if (!source.of_project()) json.key("ref").value(parts.sources[i].ref);
    if (!source.stage.steps.empty()) write_steps(json.key("steps"), source.stage.steps);
    if (source.of_project()) json.key("tree").value(parts.sources[i].tree.value_or(store::Digest{}).text());
    json.key("version").value(source.kind->version());
    json.end_object();
  }
  json.end_array();
}

// Only where there are some, so that no other key depends on them.
void write_overlaps(JsonWriter& json, const RecipeParts& parts) {
  if (parts.overlaps.empty()) return;
  json.key("overlaps").begin_object();
  json.key("globs").begin_array();
  for (const auto& glob : parts.overlaps) json.value(glob);
  json.end_array().key("order").begin_array();
  for (const auto& name : parts.staging_order) json.value(name);
  json.end_array().end_object();
}

}  // namespace

std::string closure_document(std::string_view recipe_key, std::span<const RecipeDependency> runtime) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("recipe").value(recipe_key).key("runtime").begin_array();
  for (const auto& dependency : runtime)
    json.begin_object()
        .key("closure")
        .value(dependency.digest)
        .key("name")
        .value(dependency.name)
        .end_object();
  json.end_array().end_object();
  return text;
}

std::string recipe_document(const RecipeParts& parts, std::span<const RecipeDependency> dependencies,
                            DependencyForm form, Host& host) {
  std::string text;
  text.reserve(2048 + dependencies.size() * 128);  // most are not longer
  JsonWriter json(text);
  json.begin_object();
  if (parts.runs) json.key("architecture").value(host.architecture());
  json.key("config").raw(parts.resolved.config);
  json.key("dependencies").begin_array();
  for (const auto& dependency : dependencies) {
    json.begin_object();
    if (form == DependencyForm::closure) json.key("closure").value(dependency.digest);
    json.key("name").value(dependency.name);
    if (form == DependencyForm::output) json.key("output").value(dependency.digest);
    json.end_object();
  }
  json.end_array();
  if (parts.runs) write_environment(json, parts);
  if (parts.runs && parts.sandbox != SandboxRoot::staged) write_host(json, parts, host);
  json.key("kind").value(parts.resolved.kind->name());
  write_plugin(json, *parts.resolved.kind);
  write_overlaps(json, parts);
  json.key("prefix").value(parts.prefix);
  json.key("recipe").value(kRecipeFormat);
  if (parts.runs) write_sandbox(json, parts);
  write_sources(json, parts);
  write_steps(json.key("steps"), parts.steps);
  json.key("version").value(parts.resolved.kind->version());
  json.end_object();
  return text;
}

}  // namespace weir
