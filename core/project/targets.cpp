#include "core/project/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"
#include "core/project/diagnostic.h"

namespace weir {

namespace {

bool is_glob(std::string_view target) { return target.find_first_of("*?") != target.npos; }

class Selection {
 public:
  explicit Selection(const Project& project) : project_(project), taken_(project.elements.size(), false) {}

  bool add(std::string_view target) {
    if (!is_glob(target)) {
      const auto* element = project_.find(target);
      if (element != nullptr) take(static_cast<std::uint32_t>(element - project_.elements.data()));
      return element != nullptr;
    }
    bool any = false;
    for (std::uint32_t i = 0; i < project_.elements.size(); ++i) {
      if (!glob_matches(target, project_.elements[i].name)) continue;
      take(i);
      any = true;
    }
    return any;
  }
  // What nothing depends on.
  void add_tops() {
    std::vector<bool> used(project_.elements.size(), false);
    for (const auto& element : project_.elements)
      for (const auto& dependency : element.dependencies) used[index(dependency.to)] = true;
    for (std::uint32_t i = 0; i < used.size(); ++i)
      if (!used[i]) take(i);
  }
  std::vector<ElementIndex> result() { return std::move(chosen_); }

 private:
  void take(std::uint32_t i) {
    if (!taken_[i]) chosen_.push_back(ElementIndex{i});
    taken_[i] = true;
  }
  const Project& project_;
  std::vector<bool> taken_;
  std::vector<ElementIndex> chosen_;
};

tl::unexpected<Error> unknown_targets(const Project& project, const std::vector<std::string_view>& unknown) {
  std::vector<std::string_view> names;
  for (const auto& element : project.elements) names.push_back(element.name);
  std::string message, remedy;
  for (const auto target : unknown) {
    message += fmt::format(
        "{}{}", message.empty() ? "" : "; ",
        is_glob(target) ? "nothing matches " + in_quotes(target) : "no element " + in_quotes(target));
    // One look at all names costs 5 ms with 100,000 elements.
    if (!is_glob(target) && remedy.size() < 500) {
      const auto near = suggestion(target, names);
      if (!near.empty()) remedy += (remedy.empty() ? "" : " ") + near;
    }
  }
  if (remedy.empty()) remedy = "`weir show` lists the elements";
  return fail(Reason::usage, std::move(message), std::move(remedy));
}

// "**/" (which also stands for nothing: "**/zlib" finds "zlib"), "**", "*", "?" or one byte.
std::string_view next_token(std::string_view& pattern, bool part_begins) {
  std::size_t length = 1;
  if (pattern.starts_with("**")) length = part_begins && pattern.starts_with("**/") ? 3 : 2;
  const auto token = pattern.substr(0, length);
  pattern.remove_prefix(length);
  return token;
}

void advance(std::string_view token, std::string_view name, const std::vector<char>& now,
             std::vector<char>& next) {
  bool before = false;  // some earlier place was reached
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (token == "*") {
      next[i] = now[i] || (i > 0 && next[i - 1] && name[i - 1] != '/');
    } else if (token == "**") {
      next[i] = now[i] || before;
    } else if (token == "**/") {
      next[i] = now[i] || (before && name[i - 1] == '/');
    } else if (i < name.size() && now[i] && token == "?") {
      if (name[i] != '/') next[i + std::max<std::size_t>(1, utf8_sequence_length(name.substr(i)))] = 1;
    } else if (i < name.size() && now[i] && name[i] == token.front()) {
      next[i + 1] = 1;
    }
    before = before || now[i];
  }
}

}  // namespace

// The set of places in the name that the pattern so far can end at, moved on by one token of the pattern at a
// time: pattern x name steps at most, where backtracking over several `**` has no such bound.
bool glob_matches(std::string_view pattern, std::string_view name) {
  std::vector<char> now(name.size() + 1, 0), next;
  now[0] = 1;
  bool part_begins = true;  // the pattern is behind a slash or at its start
  while (!pattern.empty()) {
    const auto token = next_token(pattern, part_begins);
    part_begins = token.ends_with('/');
    next.assign(name.size() + 1, 0);
    advance(token, name, now, next);
    now.swap(next);
  }
  return now.back() != 0;
}

Result<std::vector<ElementIndex>> select_targets(const Project& project,
                                                 std::span<const std::string> targets) {
  Selection selection(project);
  std::vector<std::string_view> unknown;
  const auto add = [&](std::string_view target) {
    if (!selection.add(target)) unknown.push_back(target);
  };
  for (const auto& target : targets) add(target);
  if (targets.empty())
    for (const auto& target : project.default_targets) add(target.text);
  if (targets.empty() && project.default_targets.empty()) selection.add_tops();
  if (!unknown.empty()) return unknown_targets(project, unknown);
  return selection.result();
}

}  // namespace weir
