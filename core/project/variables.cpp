#include "core/project/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/project/table_reader.h"

namespace weir {

namespace {
// Twenty variables that each use the one before twice make a megabyte; thirty would make a gigabyte.
constexpr std::size_t kLongest = 1u << 20;
// Of all strings of one value, for example of the config of an element: a long array of long variables.
constexpr std::size_t kLongestTogether = 16u << 20;
// Of all strings of a project that use variables.
constexpr std::uint64_t kLongestOfAll = std::uint64_t{512} << 20;
// The same with empty variables gives no text at all, only time.
constexpr std::size_t kMostReferences = 10'000;
}  // namespace

struct Variables::Walk {
  Place place;  // of the string that is being expanded
  Diagnostics& diagnostics;
  std::vector<std::string_view> open;  // the variables we are in, outermost first
  bool checking = false;               // open[0] is being checked; else a string that uses variables
  std::size_t references = 0;
  bool too_much = false;  // told once: what is built on it would be too much as well
  Used* used = nullptr;
};

const Variable* Variables::find(std::string_view name) const {
  for (const auto* scope = this; scope != nullptr; scope = scope->below_) {
    const auto at = scope->own_.find(name);
    if (at != scope->own_.end()) return &at->second;
  }
  return nullptr;
}

void Variables::read(TableReader& reader, std::string_view key) {
  auto* value = reader.take_table(key);
  if (value == nullptr) return;
  for (auto& [name, key_place, given] : *value->table()) {
    Variable variable{{}, given.place};
    if (const auto* text = given.text()) {
      variable.text = *text;
    } else if (given.integer() || given.number() || given.boolean()) {
      variable.text = to_json(given);
    } else {
      reader.wrong_type(name, given, "a string");
      continue;
    }
    if (name.empty() || name.find_first_of("{}% ") != name.npos)
      reader.diagnostics().error(key_place, fmt::format("{} is no name for a variable", in_quotes(name)));
    else set(name, std::move(variable));
  }
}

void Variables::expand(std::string& text, Place place, Diagnostics& diagnostics, Used* used) const {
  if (text.find("%{") == text.npos) return;
  Walk walk{.place = place, .diagnostics = diagnostics, .open = {}, .used = used};
  std::string out;
  if (!append(text, out, walk)) return;
  const auto before = expanded_->fetch_add(out.size());
  if (before + out.size() > kLongestOfAll) {
    if (before <= kLongestOfAll)
      diagnostics.error(place, fmt::format("with this, the strings of the project expand to more than {} MiB",
                                           kLongestOfAll >> 20));
    return;
  }
  text = std::move(out);
}

void Variables::expand(TomlValue& value, Diagnostics& diagnostics, Used* used) const {
  std::size_t bytes = 0;
  // False: it is too much. Recursive: toml_parse bounds the depth.
  const auto expand_all = [&](const auto& self, TomlValue& one) -> bool {
    if (auto* text = std::get_if<std::string>(&one.data)) {
      expand(*text, one.place, diagnostics, used);
      bytes += text->size();
      if (bytes <= kLongestTogether) return true;
      diagnostics.error(
          one.place, fmt::format("with this, its value expands to more than {} MiB", kLongestTogether >> 20));
      return false;
    }
    const auto each = [&](auto& item) { return self(self, item); };
    if (auto* items = one.array()) return std::all_of(items->begin(), items->end(), each);
    if (auto* members = one.table())
      return std::all_of(members->begin(), members->end(), [&](auto& member) { return each(member.value); });
    return true;
  };
  expand_all(expand_all, value);
}

void Variables::check(Diagnostics& diagnostics) const {
  for (const auto& [name, variable] : own_) {
    Walk walk{.place = variable.place, .diagnostics = diagnostics, .open = {name}, .checking = true};
    std::string out;
    append(variable.text, out, walk);
    if (walk.too_much) return;
  }
}

bool Variables::append(std::string_view text, std::string& out, Walk& walk) const {
  while (!text.empty()) {
    const auto at = text.find("%{");
    out += text.substr(0, at);
    if (out.size() > kLongest) {
      walk.too_much = true;
      walk.diagnostics.error(walk.place, fmt::format("expands to more than {} MiB", kLongest >> 20));
      return false;
    }
    if (at == text.npos) return true;
    if (at > 0 && text[at - 1] == '%') {
      out += '{';
      text.remove_prefix(at + 2);
      continue;
    }
    const auto end = text.find('}', at);
    if (end == text.npos) {
      walk.diagnostics.error(walk.place, "%{ without its }", "write %%{ for a literal %{");
      return false;
    }
    if (!append_variable(text.substr(at + 2, end - at - 2), out, walk)) return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

bool Variables::append_variable(std::string_view name, std::string& out, Walk& walk) const {
  const auto* variable = find(name);
  if (variable == nullptr && name == "jobs") {
    out += "%{jobs}";
    return true;
  }
  if (variable == nullptr) {
    // Deeper down it is told by the check of the variable that has it, once, and not by every user of that.
    if (walk.open.size() == (walk.checking ? 1 : 0))
      walk.diagnostics.error(walk.place, fmt::format("unknown variable {}", in_quotes(name)),
                             unknown_hint(name));
    return false;
  }
  if (std::find(walk.open.begin(), walk.open.end(), name) != walk.open.end()) {
    if (walk.checking) tell_loop(name, walk);
    return false;
  }
  if (++walk.references > kMostReferences) {
    walk.too_much = true;
    walk.diagnostics.error(walk.place, fmt::format("uses variables more than {} times", kMostReferences));
    return false;
  }
  // A chain as long as the stack is no loop, and no honest project either.
  if (walk.open.size() >= 100) {
    walk.diagnostics.error(walk.place, "more than 100 variables within each other");
    return false;
  }
  if (walk.used && name != "element") walk.used->emplace(name, variable->text);
  walk.open.push_back(name);
  const bool good = append(variable->text, out, walk);
  walk.open.pop_back();
  return good;
}

// Each loop once: when it is entered at the first of its variables that are our own.
void Variables::tell_loop(std::string_view name, const Walk& walk) const {
  if (walk.open.front() != name) return;
  std::string ring;
  for (const auto part : walk.open) {
    if (part < name && own_.find(part) != own_.end()) return;
    ring += in_quotes(part) + " -> ";
  }
  walk.diagnostics.error(walk.place, fmt::format("variables in a loop: {}{}", ring, in_quotes(name)));
}

std::string Variables::unknown_hint(std::string_view name) const {
  std::vector<std::string_view> names{"jobs"};
  for (const auto* scope = this; scope != nullptr; scope = scope->below_)
    for (const auto& [own, variable] : scope->own_) names.push_back(own);
  auto near = suggestion(name, names);
  return near.empty() ? "set it in [variables], or write %%{ for a literal %{" : near;
}

}  // namespace weir
