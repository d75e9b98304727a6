#include "core/cli/why_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/printable.h"

namespace weir::cli {

namespace {

// Two long values (scripts, mostly) are the same for a while: both are shown from a little before they part.
constexpr std::size_t kLongest = 160;
constexpr std::size_t kBefore = 30;

std::string shown(std::string_view text, std::size_t from) {
  const bool cut_front = from > 0, cut_back = text.size() - from > kLongest;
  return fmt::format("\"{}{}{}\"", cut_front ? "..." : "", printable(text.substr(from, kLongest)),
                     cut_back ? "..." : "");
}

std::size_t first_shown(std::string_view a, std::string_view b) {
  if (std::max(a.size(), b.size()) <= kLongest) return 0;
  const auto parted =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  return parted > kBefore ? parted - kBefore : 0;
}

// Digests and versions are words of weir; all else is somebody's text.
bool is_quoted(About about) {
  return about != About::file && about != About::source && about != About::dependency && about != About::kind;
}

std::string values(const Difference& one) {
  if (!is_quoted(one.about)) {
    if (one.from && one.to) return fmt::format("from {} to {}", printable(*one.from), printable(*one.to));
    return printable(one.from ? *one.from : one.to.value_or(""));
  }
  if (one.from && one.to) {
    const auto at = first_shown(*one.from, *one.to);
    return fmt::format("from {} to {}", shown(*one.from, at), shown(*one.to, at));
  }
  return shown(one.from ? *one.from : one.to.value_or(""), 0);
}

std::string subject(const Difference& one) {
  const auto what = to_string(one.about);
  if (one.name == what || one.about == About::other) return printable(one.name);
  if (one.about == About::variable) return fmt::format("{} \"{}\"", what, printable(one.name));
  return fmt::format("{} {}", what, printable(one.name));
}

}  // namespace

std::string cause_line(const Difference& one) {
  if (!one.from) return fmt::format("{}: new, {}", subject(one), values(one));
  if (!one.to) return fmt::format("{}: gone, it was {}", subject(one), values(one));
  if (one.about == About::dependency)
    return fmt::format("{}: its output changed {}", subject(one), values(one));
  if (one.about == About::file) return fmt::format("{}: changed {}", subject(one), values(one));
  // "1 (git)": the source as a whole, so it is its ref.
  if (one.about == About::source && one.name.ends_with(')') && one.from != kNoRef && one.to != kNoRef)
    return fmt::format("{}: retracked {}", subject(one), values(one));
  return fmt::format("{}: {}", subject(one), values(one));
}

namespace {

class Text {
 public:
  explicit Text(const BuildPlan& plan) : plan_(plan) {}

  std::string answer(const Explanation& why) {
    why.cached() ? cached(why) : missing(why);
    return std::move(out_);
  }

 private:
  template <class... Values>
  void line(std::size_t indent, fmt::format_string<Values...> text, Values&&... values) {
    out_.append(2 * indent, ' ');
    fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
    out_ += '\n';
  }
  const std::string& name(const Explanation& why) const { return plan_.name(why.element); }
  // Nothing is known of who built it: another project on the same store, or a run that was forgotten.
  static std::string where(const Explanation& why) {
    return why.run ? fmt::format("in run {}", why.run) : std::string("elsewhere");
  }

  void cached(const Explanation& why) {
    line(0, "{} is cached, key {}", name(why), why.recipe_key->hex());
    line(0, "{}", built_because(why));
    reasons(why, 1);
    for (const auto& one : why.came_out_same)
      line(0, "dependency {} was built again in run {} and came out the same ({}): {} was not", one.name,
           one.run, one.output, name(why));
    for (const auto& one : why.dependencies)
      if (!one.cached()) dependency(one, 0, "run-time dependency");
    more_dependencies(why, 0);
  }

  // Why the artifact that is there was built. Ends in a colon if causes follow.
  static std::string built_because(const Explanation& why) {
    const bool told = !why.causes.empty() || why.untold;
    switch (why.ground) {
      case Ground::never_built:
        return fmt::format("it was built {}, for the first time in this project", where(why));
      case Ground::forced:
        return fmt::format("it was last built {}: it was asked for with --force", where(why));
      case Ground::gone:
        return fmt::format(
            "it was last built {}: the same had been built before, but was no longer in the store",
            where(why));
      case Ground::returned:
        return fmt::format("the last run used another one, built {}; against that:", where(why));
      case Ground::found: return found_by(why) + (told ? "; against the one before:" : "");
      default: return fmt::format("it was last built {} because:", where(why));
    }
  }

  static std::string found_by(const Explanation& why) {
    if (why.used == 0) return "it was found in the store; no run of this project has used it yet";
    if (why.run == 0)
      return fmt::format("run {} found it in the store; no run of this project is known to have built it",
                         why.used);
    return fmt::format("it was built in run {}, and run {} found it in the store", why.run, why.used);
  }

  void missing(const Explanation& why) {
    if (why.standing == Standing::failed) {
      line(0, "{} failed before with the same inputs, and is not tried again until they change", name(why));
      line(1, "weir log {} shows what it wrote; weir build --retry-failed {} tries again", name(why),
           name(why));
    } else if (why.ground == Ground::never_built) {
      line(0, "{} has to be built: it was never built in this project", name(why));
    } else {
      line(0, "{} has to be built:", name(why));
    }
    if (why.ground == Ground::never_built && why.standing == Standing::failed)
      line(1, "it was never built in this project");
    reasons(why, 1);
    if (why.ground == Ground::never_built && !why.unbuilt.empty()) first(why);
    if (why.ground == Ground::waiting)
      line(0, "if they come out as they were, {} is not built again", name(why));
    if (why.ground == Ground::changed && !why.untold) line(0, "compared with what was built {}", where(why));
    missed(why);
  }

  void first(const Explanation& why) {
    constexpr std::size_t kNamed = 10;
    const auto named = std::min(kNamed, why.unbuilt.size());
    const auto more = why.unbuilt.size() - named;
    line(1, "its dependencies have to be built first: {}{}",
         fmt::join(why.unbuilt.begin(), why.unbuilt.begin() + static_cast<std::ptrdiff_t>(named), ", "),
         more ? fmt::format(" and {} more", more) : std::string());
  }

  void missed(const Explanation& why) {
    if (why.standing == Standing::no_ref) line(0, "its sources have no ref yet: weir track {}", name(why));
    else if (!why.recipe_key)
      line(0, "its key is known when all that it is built with is tracked: weir track --deps all {}",
           name(why));
    else if (!why.resolved_key)
      line(0,
           "not in the local store by its recipe key {}; its resolved key is known when its dependencies are "
           "there",
           why.recipe_key->hex());
    else if (*why.resolved_key == *why.recipe_key)
      line(0, "not in the local store, by its key {}", why.recipe_key->hex());
    else
      line(0, "not in the local store, neither by its recipe key {} nor by its resolved key {}",
           why.recipe_key->hex(), why.resolved_key->hex());
  }

  void reasons(const Explanation& why, std::size_t indent) {
    if (why.untold)
      line(indent, "what it was built from before is no longer in the store, so what changed cannot be told");
    if (!why.cached() && why.ground == Ground::gone)
      line(indent, "the same was built {}, but its artifact is no longer in the store (weir cache rm or gc)",
           where(why));
    bool files = false;
    for (const auto& cause : why.causes) {
      if (is_unknown_output(cause)) continue;  // told below, with its reasons
      if (std::exchange(files, cause.about == About::file) && !files) more_files(why, indent);
      line(indent, "{}", cause_line(cause));
      changed_dependency(why, cause, indent);
    }
    if (files) more_files(why, indent);
    if (why.cached()) return;
    for (const auto& one : why.dependencies)
      if (!one.cached()) dependency(one, indent, "dependency");
    more_dependencies(why, indent);
  }

  void more_files(const Explanation& why, std::size_t indent) {
    if (why.more_files)
      line(indent, "and {}{} more files", why.files_counted ? "" : "at least ", why.more_files);
  }
  void more_dependencies(const Explanation& why, std::size_t indent) {
    if (why.more_dependencies) line(indent, "and {} more dependencies", why.more_dependencies);
  }

  // One that is there, and came out differently: why it was built.
  void changed_dependency(const Explanation& why, const Difference& cause, std::size_t indent) {
    if (cause.about != About::dependency) return;
    const auto at =
        std::find_if(why.dependencies.begin(), why.dependencies.end(),
                     [&](const Explanation& one) { return one.cached() && name(one) == cause.name; });
    if (at == why.dependencies.end() || at->above) return;
    line(indent + 1, "{}", built_because(*at));
    reasons(*at, indent + 2);
  }

  void dependency(const Explanation& why, std::size_t indent, std::string_view what) {
    if (why.above) return line(indent, "{} {} has to be built: see above", what, name(why));
    line(indent, "{} {} has to be built: see weir why {}", what, name(why), name(why));
    if (why.standing == Standing::failed) line(indent + 1, "it failed before with the same inputs");
    if (why.standing == Standing::no_ref)
      line(indent + 1, "its sources have no ref yet: weir track {}", name(why));
    if (why.ground == Ground::never_built) line(indent + 1, "it was never built in this project");
    reasons(why, indent + 1);
  }

  const BuildPlan& plan_;
  std::string out_;
};

}  // namespace

std::string why_text(const BuildPlan& plan, const Explanation& why) { return Text(plan).answer(why); }

}  // namespace weir::cli
