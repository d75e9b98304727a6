#include "core/project/read_element.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/utf8.h"

namespace weir {

namespace {

constexpr std::uint32_t kMostCores = 1u << 16;

std::optional<std::uint32_t> parse_cores(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > kMostCores)
    return std::nullopt;
  return value;
}

// 2, "2" or "1..4"
void read_cpu(TableReader& reader, Element::Cores& cpu) {
  const auto* value = reader.take("cpu");
  if (value == nullptr) return;
  std::optional<std::uint32_t> least, most;
  if (const auto* integer = value->integer()) {
    if (*integer >= 1 && *integer <= kMostCores) least = most = static_cast<std::uint32_t>(*integer);
  } else if (const auto* text = value->text()) {
    const auto dots = text->find("..");
    least = parse_cores(std::string_view(*text).substr(0, dots));
    most = dots == text->npos ? least : parse_cores(std::string_view(*text).substr(dots + 2));
  }
  if (!least || !most || *least > *most) {
    reader.diagnostics().error(value->place, fmt::format("cpu of {} is no number of cores", reader.where()),
                               "a number, or from..to: 2, \"1..4\"");
    return;
  }
  cpu = {*least, *most};
}

// Paths of artifacts begin at their root, with or without a slash.
void read_overlaps(TableReader& reader, std::vector<std::string>& overlaps) {
  std::vector<PlacedText> globs;
  reader.texts("overlaps", globs);
  for (auto& glob : globs) {
    glob.text.erase(0, glob.text.find_first_not_of('/'));
    if (glob.text.empty())
      reader.diagnostics().error(glob.place,
                                 fmt::format("overlaps of {} has an empty pattern", reader.where()),
                                 "patterns match paths of installed files: \"%{prefix}/share/info/*\"");
    else overlaps.push_back(std::move(glob.text));
  }
}

void read_needs(TableReader& reader, std::vector<Element::Need>& needs) {
  auto* value = reader.take_table("needs");
  if (value == nullptr) return;
  TableReader inner(*value, fmt::format("needs of {}", reader.where()), reader.diagnostics());
  for (const auto& member : *value->table()) {
    Element::Need need{member.key, 0, member.key_place};
    inner.count(member.key, need.amount, 1);
    if (need.amount > 0) needs.push_back(std::move(need));
  }
}

Source read_source(TomlValue& value, const std::string& where, Diagnostics& diagnostics) {
  Source source;
  source.place = value.place;
  TableReader reader(value, "a source of " + where, diagnostics);
  reader.required_text("kind", source.kind);
  reader.text("url", source.url);
  reader.text("track", source.track);
  reader.text("ref", source.ref);
  reader.text("directory", source.directory);
  // No finish(): the kind knows the other keys.
  source.config = {TomlValue::Table{}, value.place};
  if (auto* members = value.table()) {
    for (auto& member : *members) {
      const auto& key = member.key;
      if (key == "kind" || key == "url" || key == "track" || key == "ref" || key == "directory") continue;
      source.config.table()->push_back(std::move(member));
    }
  }
  return source;
}

void read_sources(TableReader& reader, std::vector<Source>& sources) {
  auto* items = reader.take_array("source");
  if (items == nullptr) return;
  for (auto& item : *items) sources.push_back(read_source(item, reader.where(), reader.diagnostics()));
}

void read_table(TableReader& reader, std::string_view key, TomlValue& out) {
  if (auto* value = reader.take_table(key)) out = std::move(*value);
}

void read_env(TableReader& reader, TextMap& env) {
  reader.text_map("env", env);
  check_environment(env, reader.take("env"), reader.diagnostics());
}

void read_limits(TableReader& reader, Element& element) {
  read_cpu(reader, element.cpu);
  reader.bytes("memory", element.memory);
  read_needs(reader, element.needs);
  reader.texts("exclusive", element.exclusive);
  reader.text("lane", element.lane);
  reader.text("group", element.group);
  constexpr std::pair<std::string_view, Access> kAccess[] = {{"read", Access::read},
                                                             {"write", Access::write}};
  reader.choice<Access>("access", kAccess, element.access);
  reader.duration("timeout", element.timeout);
  reader.duration("stall", element.stall);
  if (auto* value = reader.take_table("retry")) {
    TableReader inner(*value, fmt::format("retry of {}", reader.where()), reader.diagnostics());
    read_retry(inner, element.retry);
    inner.finish();
  }
}

// Own variables, then every string of the table but those of the variables themselves. Returns those that
// were used.
TextMap expand_element(TomlValue& table, const std::string& name, TableReader& reader,
                       const Variables& project_variables) {
  Variables own(&project_variables);
  own.set("element", {name, table.place});
  own.read(reader, "variables");
  if (own.own().size() > 1) own.check(reader.diagnostics());
  auto* members = table.table();
  if (members == nullptr) return {};
  Variables::Used used;
  for (auto& member : *members)
    if (member.key != "variables") own.expand(member.value, reader.diagnostics(), &used);
  return {used.begin(), used.end()};
}

}  // namespace

void read_retry(TableReader& reader, RetryPolicy& policy) {
  for (std::size_t i = 1; i < kFailures; ++i) {
    const auto failure = static_cast<Failure>(i);
    std::uint32_t count = policy.of(failure);
    reader.count(to_string(failure), count, 0, 100);
    policy.set(failure, static_cast<std::uint8_t>(count));
  }
  reader.duration("delay", policy.backoff.delay);
  reader.duration("max-delay", policy.backoff.max_delay);
}

void check_environment(const TextMap& env, const TomlValue* table, Diagnostics& diagnostics) {
  for (const auto& [name, value] : env) {
    if (!name.empty() && name.find_first_of(std::string_view("=\0", 2)) == name.npos) continue;
    const auto* member = table == nullptr ? nullptr : table->find(name);
    diagnostics.error(member ? member->key_place : Place{},
                      fmt::format("{} is no name for an environment variable", in_quotes(name)));
  }
}

bool is_element_name(std::string_view name) {
  constexpr std::string_view kRefused = " *?[]{}()<>\"'`\\:;,%$&|!#~=^";
  if (name.empty() || name.size() > 200 || name.front() == '/' || name.back() == '/') return false;
  for (auto rest = name; !rest.empty();) {
    const auto length = utf8_sequence_length(rest);
    if (length == 0 || static_cast<unsigned char>(rest[0]) < 0x20 || rest[0] == 0x7f) return false;
    if (length == 1 && kRefused.find(rest[0]) != kRefused.npos) return false;
    rest.remove_prefix(length);
  }
  // No part is empty or hidden, "." or "..", and none can be taken for an option.
  if (name.front() == '.' || name.front() == '-') return false;
  return name.find("//") == name.npos && name.find("/.") == name.npos && name.find("/-") == name.npos;
}

DraftPointer read_element(std::string name, TomlValue& table, const Variables& project_variables,
                          const RetryPolicy& project_retry, Diagnostics& diagnostics) {
  auto made = std::make_unique<ElementDraft>();
  auto& draft = *made;
  auto& element = draft.element;
  element.place = table.place;
  element.retry = project_retry;
  TableReader reader(table, fmt::format("element {}", in_quotes(name)), diagnostics);
  element.variables = expand_element(table, name, reader, project_variables);
  element.name = std::move(name);
  reader.required_text("kind", element.kind);
  reader.text("description", element.description);
  reader.texts("depends", draft.dependencies[0].names);
  reader.texts("build-depends", draft.dependencies[1].names);
  reader.texts("runtime-depends", draft.dependencies[2].names);
  read_overlaps(reader, element.overlaps);
  read_sources(reader, element.sources);
  read_table(reader, "config", element.config);
  read_table(reader, "public", element.published);
  read_env(reader, element.env);
  read_limits(reader, element);
  reader.finish();
  return made;
}

}  // namespace weir
