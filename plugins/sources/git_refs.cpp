#include "plugins/sources/git_refs.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <vector>

#include <weir/barrier.hpp>

namespace weir::kinds {

namespace {

constexpr std::string_view kHeads = "refs/heads/", kTags = "refs/tags/", kPeeled = "^{}";

using Refs = std::map<std::string, std::string, std::less<>>;  // name to commit

// A tag object has a second line with the commit that it means; that one counts.
Refs parse(std::string_view text) {
  Refs refs;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto tab = line.find('\t');
    if (tab == line.npos) continue;
    auto name = line.substr(tab + 1);
    const bool peeled = name.ends_with(kPeeled);
    if (peeled) name.remove_suffix(kPeeled.size());
    const std::string commit(line.substr(0, tab));
    if (peeled) refs.insert_or_assign(std::string(name), commit);
    else refs.emplace(name, commit);
  }
  return refs;
}

std::vector<std::string_view> names_below(const Refs& refs, std::string_view folder) {
  std::vector<std::string_view> names;
  for (auto at = refs.lower_bound(folder); at != refs.end() && at->first.starts_with(folder); ++at)
    names.push_back(std::string_view(at->first).substr(folder.size()));
  return names;
}

const std::string* highest_match(const Refs& refs, std::string_view folder, const std::string& pattern) {
  const std::string* best = nullptr;
  for (const auto name : names_below(refs, folder)) {
    const std::string full(name);
    if (::fnmatch(pattern.c_str(), full.c_str(), 0) != 0) continue;
    const auto at = refs.find(std::string(folder) + full);
    if (!best || version_less(std::string_view(*best).substr(folder.size()), name)) best = &at->first;
  }
  return best;
}

sdk::Refused no_such_ref(const Refs& refs, std::string_view track) {
  if (track.empty()) return {"the remote has no branch of its own (HEAD)", "say which one: track = \"main\""};
  std::vector<std::string> known;
  for (const auto folder : {kHeads, kTags})
    for (const auto name : names_below(refs, folder)) known.emplace_back(name);
  const auto* near = sdk::nearest(track, known);
  return {"the remote has no branch or tag " + sdk::in_quotes(track),
          near            ? "did you mean " + sdk::in_quotes(*near) + "?"
          : known.empty() ? "it is empty"
                          : "it has " + std::to_string(known.size()) + " branches and tags, " +
                                sdk::in_quotes(known.front()) + " among them"};
}

std::size_t digits_at(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789");
  return end == text.npos ? text.size() : end;
}

std::string_view without_zeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

// "-rc1", "~beta", ".alpha2", "b1" behind a version make it an earlier one; ".1" a later one.
bool is_earlier(std::string_view rest) {
  if (rest.empty()) return false;
  if (rest.front() == '-' || rest.front() == '~' || rest.front() == '_' || rest.front() == '.')
    rest.remove_prefix(1);
  return !rest.empty() && (rest.front() < '0' || rest.front() > '9');
}

}  // namespace

bool version_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto left = digits_at(a), right = digits_at(b);
    if (left > 0 && right > 0) {
      const auto first = without_zeros(a.substr(0, left)), second = without_zeros(b.substr(0, right));
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
      a.remove_prefix(left);
      b.remove_prefix(right);
    } else if (a.front() == b.front()) {
      a.remove_prefix(1);
      b.remove_prefix(1);
    } else {
      const bool first = is_earlier(a), second = is_earlier(b);
      return first != second ? first : a.front() < b.front();
    }
  }
  return a.empty() ? !b.empty() && !is_earlier(b) : is_earlier(a);
}

std::string find_git_ref(std::string_view text, std::string_view track) {
  const auto refs = parse(text);
  const std::string name(track.empty() ? std::string_view("HEAD") : track);
  for (const auto folder : {kHeads, kTags, std::string_view()}) {
    if (track.empty() && !folder.empty()) continue;
    if (const auto at = refs.find(std::string(folder) + name); at != refs.end()) return at->second;
  }
  if (name.find_first_of("*?[") != name.npos) {
    for (const auto folder : {kTags, kHeads})
      if (const auto* found = highest_match(refs, folder, name)) return refs.at(*found);
  }
  throw no_such_ref(refs, track);
}

}  // namespace weir::kinds
