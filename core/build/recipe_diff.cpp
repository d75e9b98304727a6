#include "core/build/recipe_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace weir {

namespace {

// Each level takes a frame of the stack. Recipes have a handful of levels, and as many more as a project file
// may have. One with more is compared as if it had nothing in it, and still has its key.
constexpr int kDeepestDocument = 500;

// Brackets in strings are no levels.
bool is_too_deep(std::string_view document) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < document.size() && depth <= kDeepestDocument; ++i) {
    const char c = document[i];
    if (c == '"') in_string = !in_string;
    else if (in_string) i += c == '\\';
    else depth += (c == '[' || c == '{') - (c == ']' || c == '}');
  }
  return depth > kDeepestDocument;
}

nlohmann::json document_of(std::string_view text) {
  return is_too_deep(text) ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
}

using Document = nlohmann::json;

constexpr std::size_t kNamedFiles = 20;
// A document may come from elsewhere one day; ours have five levels.
constexpr int kDeepest = 50;

std::string text_of(const Document& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Document::error_handler_t::replace);
}

std::optional<std::string> text_of(const Document* value) {
  return value ? std::optional(text_of(*value)) : std::nullopt;
}

const Document* member(const Document& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

std::string string_member(const Document& object, std::string_view key) {
  const auto* value = member(object, key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

using Pair = std::function<void(const std::string& key, const Document* before, const Document* now)>;

// The members that differ, by their keys.
void each_member(const Document& before, const Document& now, const Pair& call) {
  std::map<std::string, std::pair<const Document*, const Document*>> all;
  if (before.is_object())
    for (const auto& [key, value] : before.items()) all[key].first = &value;
  if (now.is_object())
    for (const auto& [key, value] : now.items()) all[key].second = &value;
  for (const auto& [key, pair] : all)
    if (!pair.first || !pair.second || *pair.first != *pair.second) call(key, pair.first, pair.second);
}

// The items that differ, by their position, counted from 1. What is the same at both ends is left out first:
// a command put in front is one difference, not as many as there are commands.
void each_item(const Document& before, const Document& now,
               const std::function<void(std::size_t, const Document*, const Document*)>& call) {
  const auto shorter = std::min(before.size(), now.size());
  std::size_t front = 0, back = 0;
  while (front < shorter && before[front] == now[front]) ++front;
  while (back < shorter - front && before[before.size() - 1 - back] == now[now.size() - 1 - back]) ++back;
  const auto end_before = before.size() - back, end_now = now.size() - back;
  for (auto i = front; i < std::max(end_before, end_now); ++i)
    call(i + 1, i < end_before ? &before[i] : nullptr, i < end_now ? &now[i] : nullptr);
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

class Diff {
 public:
  explicit Diff(const RecipeDiffInput& input) : input_(input) {}

  RecipeDiff run(const Document& before, const Document& now) {
    kind_ = string_member(now, "kind");
    each_member(before, now, [&](const std::string& key, const Document* a, const Document* b) {
      top(key, a, b, before);
    });
    commands(before, now);
    // Files first, then what else is the user's: that is the order of About.
    auto& all = out_.differences;
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.about < b.about; });
    return std::move(out_);
  }

 private:
  void add(About about, std::string name, std::optional<std::string> from, std::optional<std::string> to) {
    out_.differences.push_back({about, std::move(name), std::move(from), std::move(to)});
  }

  void top(const std::string& key, const Document* before, const Document* now,
           const Document& old_document) {
    if (key == "sources") return sources(before, now);
    if (key == "dependencies") return dependencies(before, now);
    if (key == "host") return host(before, now);
    if (key == "version") return version(before, now, string_member(old_document, "kind"));
    if (key == "config") return values(About::configuration, "", before, now);
    if (key == "env") return values(About::environment, "", before, now);
    if (key == "sandbox") return values(About::sandbox, "", before, now);
    if (key == "prefix") return add(About::variable, key, text_of(before), text_of(now));
    if (key == "architecture") return add(About::system, key, text_of(before), text_of(now));
    if (key == "steps") return;  // by commands()
    if (key == "kind") return add(About::kind, key, text_of(before), text_of(now));
    values(About::other, key, before, now);
  }

  // Commands follow from these. Where one of them differs, it is the reason; where none does, the plugin
  // plans otherwise.
  void commands(const Document& before, const Document& now) {
    for (const auto* key : {"config", "kind", "plugin", "prefix", "recipe", "sandbox", "version"}) {
      const auto *a = member(before, key), *b = member(now, key);
      if (!a != !b || (a && *a != *b)) return;
    }
    const auto *a = member(before, "steps"), *b = member(now, "steps");
    if (!a || !b || !a->is_array() || !b->is_array()) return;
    each_item(*a, *b, [this](std::size_t position, const Document* one, const Document* other) {
      add(About::command, fmt::format("#{}", position), step_text(one), step_text(other));
    });
  }

  // A command as its words, any other step as its document.
  static std::optional<std::string> step_text(const Document* step) {
    const auto* words = step ? member(*step, "run") : nullptr;
    if (!words || !words->is_array()) return text_of(step);
    std::string text;
    for (const auto& word : *words) text += (text.empty() ? "" : " ") + text_of(word);
    return text;
  }

  // Of another kind the version says nothing: that it is another kind is told.
  void version(const Document* before, const Document* now, const std::string& old_kind) {
    if (old_kind == kind_) add(About::kind, kind_, version_text(before), version_text(now));
  }
  static std::optional<std::string> version_text(const Document* version) {
    return version ? std::optional("version " + text_of(*version)) : std::nullopt;
  }

  // Every value below, by its path.
  void values(About about, const std::string& path, const Document* before, const Document* now,
              int depth = 0) {
    const Document nothing;
    const auto& a = before ? *before : nothing;
    const auto& b = now ? *now : nothing;
    // An empty one that came or went has nothing below that could tell.
    const bool telling = (before && now) || !(before ? a : b).empty();
    const auto like = [&](const auto& is) { return telling && (!before || is(a)) && (!now || is(b)); };
    if (depth < kDeepest && like([](const Document& value) { return value.is_object(); })) {
      each_member(a, b, [&](const std::string& key, const Document* one, const Document* other) {
        values(about, below(path, key), one, other, depth + 1);
      });
    } else if (depth < kDeepest && like([](const Document& value) { return value.is_array(); })) {
      each_item(a, b, [&](std::size_t position, const Document* one, const Document* other) {
        values(about, fmt::format("{} #{}", path, position), one, other, depth + 1);
      });
    } else {
      add(about, path, text_of(before), text_of(now));
    }
  }

  void host(const Document* before, const Document* now) {
    const Document nothing;
    each_member(before ? *before : nothing, now ? *now : nothing,
                [&](const std::string& key, const Document* a, const Document* b) {
                  values(key == "tools" ? About::tool : About::system, key == "tools" ? "" : key, a, b);
                });
  }

  using Outputs = std::map<std::string, std::string>;
  static Outputs outputs(const Document* list) {
    Outputs all;
    if (!list || !list->is_array()) return all;
    for (const auto& one : *list) {
      const auto value = string_member(one, "output");
      const auto digest = store::Digest::parse(value);
      all[string_member(one, "name")] = digest ? short_digest(*digest) : value;
    }
    return all;
  }

  void dependencies(const Document* before, const Document* now) {
    const auto old_ones = outputs(before), new_ones = outputs(now);
    for (const auto& [name, output] : old_ones) {
      const auto same = new_ones.find(name);
      if (same == new_ones.end()) add(About::dependency, name, output, std::nullopt);
      else if (same->second != output) add(About::dependency, name, output, same->second);
    }
    for (const auto& [name, output] : new_ones)
      if (!old_ones.contains(name)) add(About::dependency, name, std::nullopt, output);
  }

  void sources(const Document* before, const Document* now) {
    const auto list = Document::array();
    each_item(before && before->is_array() ? *before : list, now && now->is_array() ? *now : list,
              [this](std::size_t position, const Document* a, const Document* b) { source(position, a, b); });
  }

  // What people know a source by: its place in the list and its kind.
  static std::string source_name(std::size_t position, const Document& source) {
    return fmt::format("{} ({})", position, string_member(source, "kind"));
  }

  // One that came or went, as a whole: what pins it.
  static std::string pinned(const Document& source) {
    const auto digest = store::Digest::parse(string_member(source, "tree"));
    return digest ? short_digest(*digest) : string_member(source, "ref");
  }

  static std::optional<std::string> ref_text(const Document* ref) {
    return ref && text_of(*ref).empty() ? std::optional<std::string>(kNoRef) : text_of(ref);
  }

  void source(std::size_t position, const Document* before, const Document* now) {
    if (before && now && string_member(*before, "kind") == string_member(*now, "kind")) {
      const auto name = source_name(position, *now);
      each_member(*before, *now, [&](const std::string& key, const Document* a, const Document* b) {
        if (key == "tree") tree(position, name, a, b);
        else if (key == "ref") add(About::source, name, ref_text(a), ref_text(b));
        else if (key == "version")
          add(About::kind, string_member(*now, "kind") + " source", version_text(a), version_text(b));
        else values(About::source, name + " " + key, a, b);
      });
      return;
    }
    if (before) add(About::source, source_name(position, *before), pinned(*before), std::nullopt);
    if (now) add(About::source, source_name(position, *now), std::nullopt, pinned(*now));
  }

  void tree(std::size_t position, const std::string& name, const Document* before, const Document* now) {
    const auto old_tree = before ? store::Digest::parse(text_of(*before)) : std::nullopt;
    const auto new_tree = now ? store::Digest::parse(text_of(*now)) : std::nullopt;
    if (!old_tree || !new_tree) return add(About::source, name + " tree", text_of(before), text_of(now));
    const auto room = kNamedFiles - std::min(kNamedFiles, named_files_);
    const auto diff = diff_trees(input_.read, *old_tree, *new_tree, room);
    // No longer in the store, or they differ in something that is no file: then it is the content as a whole.
    if (!diff || (diff->paths.empty() && diff->more == 0))
      return add(About::source, name + " content", short_digest(*old_tree), short_digest(*new_tree));
    const auto folder =
        position <= input_.source_folders.size() ? input_.source_folders[position - 1] : std::string();
    for (const auto& one : diff->paths) add(About::file, folder + one.path, one.from, one.to);
    named_files_ += diff->paths.size();
    out_.more_files += diff->more;
    out_.files_counted = out_.files_counted && diff->counted;
  }

  const RecipeDiffInput& input_;
  std::string kind_;
  std::size_t named_files_ = 0;
  RecipeDiff out_;
};

}  // namespace

std::string_view to_string(About about) {
  switch (about) {
    case About::file: return "file";
    case About::source: return "source";
    case About::dependency: return "dependency";
    case About::variable: return "variable";
    case About::environment: return "environment";
    case About::configuration: return "configuration";
    case About::command: return "command";
    case About::tool: return "tool";
    case About::system: return "system";
    case About::kind: return "kind";
    case About::sandbox: return "sandbox";
    case About::other: break;
  }
  return "other";
}

Result<RecipeDiff> diff_recipes(const RecipeDiffInput& input) {
  const auto before = document_of(input.before), now = document_of(input.now);
  if (!before.is_object() || !now.is_object()) return fail(Reason::not_found, "a recipe is no document");
  return Diff(input).run(before, now);
}

std::vector<Difference> diff_variables(const TextMap& before, const TextMap& now) {
  std::map<std::string, std::pair<std::optional<std::string>, std::optional<std::string>>> all;
  for (const auto& [name, text] : before) all[name].first = text;
  for (const auto& [name, text] : now) all[name].second = text;
  std::vector<Difference> differences;
  for (auto& [name, pair] : all)
    if (pair.first != pair.second) differences.push_back({About::variable, name, pair.first, pair.second});
  return differences;
}

}  // namespace weir
