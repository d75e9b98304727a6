// The JSON of weir why. Fields are added, never changed.
#include "core/base/json_writer.h"
#include "core/cli/why_text.h"

namespace weir::cli {

namespace {

void write_cause(JsonWriter& json, std::string_view what, std::string_view name,
                 const std::optional<std::string>& from, const std::optional<std::string>& to) {
  json.begin_object().key("what").value(what).key("name").value(name);
  json.key("from");
  from ? json.value(*from) : json.null();
  json.key("to");
  to ? json.value(*to) : json.null();
  json.end_object();
}

void write_missed(JsonWriter& json, const Explanation& why) {
  json.key("missed").begin_array();
  const auto write = [&](std::string_view by, const store::Key& key) {
    json.begin_object()
        .key("cache")
        .value("local")
        .key("by")
        .value(by)
        .key("key")
        .value(key.hex())
        .end_object();
  };
  if (!why.cached() && why.recipe_key) write("recipe", *why.recipe_key);
  if (!why.cached() && why.resolved_key) write("resolved", *why.resolved_key);
  json.end_array();
}

void write_why(JsonWriter& json, const BuildPlan& plan, const Explanation& why);

void write_causes(JsonWriter& json, const Explanation& why) {
  json.key("causes").begin_array();
  for (const auto& cause : why.causes)
    write_cause(json, to_string(cause.about), cause.name, cause.from, cause.to);
  json.end_array();
  json.key("more_files").value(why.more_files).key("untold").value(why.untold);
}

void write_dependencies(JsonWriter& json, const BuildPlan& plan, const Explanation& why) {
  json.key("unbuilt").begin_array();
  for (const auto& name : why.unbuilt) json.value(name);
  json.end_array();
  json.key("came_out_same").begin_array();
  for (const auto& one : why.came_out_same)
    json.begin_object()
        .key("name")
        .value(one.name)
        .key("output")
        .value(one.output)
        .key("run")
        .value(one.run)
        .end_object();
  json.end_array();
  json.key("dependencies").begin_array();
  for (const auto& one : why.dependencies)
    if (!one.above) write_why(json, plan, one);
  json.end_array().key("more_dependencies").value(why.more_dependencies);
}

void write_why(JsonWriter& json, const BuildPlan& plan, const Explanation& why) {
  json.begin_object();
  json.key("element").value(plan.name(why.element)).key("state").value(to_string(why.standing));
  json.key("ground").value(to_string(why.ground));
  json.key("run");
  why.run ? json.value(why.run) : json.null();
  json.key("used");
  why.used ? json.value(why.used) : json.null();
  json.key("key");
  why.recipe_key ? json.value(why.recipe_key->hex()) : json.null();
  json.key("resolved_key");
  why.resolved_key ? json.value(why.resolved_key->hex()) : json.null();
  write_causes(json, why);
  write_missed(json, why);
  write_dependencies(json, plan, why);
  json.end_object();
}

}  // namespace

std::string why_json(const BuildPlan& plan, const Explanation& why) {
  std::string text;
  JsonWriter json(text);
  write_why(json, plan, why);
  return "{\"v\":1," + text.substr(1) + "\n";
}

}  // namespace weir::cli
