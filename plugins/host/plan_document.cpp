#include "plugins/host/plan_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <weir/config.hpp>

namespace weir {

namespace {

using sdk::Json;

tl::unexpected<Error> wrong(std::string message) { return fail(Reason::bug, std::move(message)); }

class StepReader {
 public:
  StepReader(const Json& step, const Folders& folders, std::string_view start)
      : step_(step), folders_(folders), start_(start) {}

  Result<Step> read() {
    if (step_.find("run")) return run();
    if (step_.find("copy")) return copy();
    if (step_.find("write")) return finish(WriteStep{file("write"), text("content"), flag("executable")});
    const bool brings = start_ == "source";  // track and fetch: they have the network, and no sandbox
    if (!brings && (step_.find("download") || step_.find("unpack")))
      return wrong("download and unpack are steps of plan_track and plan_fetch alone");
    if (step_.find("download"))
      return finish(DownloadStep{text("download"), file("to"), text("sha256"), flag("executable")});
    if (step_.find("unpack")) return finish(UnpackStep{file("unpack"), path("to"), strip()});
    return wrong("a step is neither run, copy, write, download nor unpack");
  }

 private:
  Result<Step> finish(Step step) {
    if (!wrong_.empty()) return wrong(wrong_);
    return step;
  }
  void complain(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }

  Result<Step> run() {
    RunStep step{words(), directory(), {}};
    if (const auto* exits = step_.find("exit")) meanings(*exits, step.meanings);
    return finish(std::move(step));
  }
  Result<Step> copy() {
    CopyStep step{path("copy"), path("to")};
    if (step.to == step.from || step.to.starts_with(step.from + "/"))
      complain(fmt::format("it plans to copy \"{}\" into itself", step.from));
    return finish(std::move(step));
  }
  std::vector<std::string> words() {
    const auto* all = step_.find("run")->array();
    const bool named = all && !all->empty() && all->front().text() && !all->front().text()->empty();
    if (!named) return complain("a run step has no words"), std::vector<std::string>();
    std::vector<std::string> words;
    for (const auto& word : *all) {
      if (!word.text() || word.text()->find('\0') != std::string::npos)
        return complain("a word of a run step is no text"), words;
      words.push_back(*word.text());
    }
    return words;
  }
  void meanings(const Json& exits, std::vector<ExitMeaning>& out) {
    if (!exits.object()) return complain("`exit` of a run step is no object");
    for (const auto& [code, failure] : *exits.object()) {
      int exit = 0;
      const auto* word = failure.text();
      const auto read = std::from_chars(code.data(), code.data() + code.size(), exit);
      constexpr std::pair<std::string_view, Failure> kFailures_[] = {{"command", Failure::command},
                                                                     {"source", Failure::source},
                                                                     {"network", Failure::network},
                                                                     {"infra", Failure::infra}};
      const auto* known = std::find_if(std::begin(kFailures_), std::end(kFailures_),
                                       [&](const auto& one) { return word && *word == one.first; });
      if (read.ec != std::errc() || read.ptr != code.data() + code.size() || exit < 1 || exit > 255 ||
          known == std::end(kFailures_))
        return complain("`exit` of a run step is {\"1\".. \"255\": command, source, network or infra}");
      out.push_back({exit, known->second});
    }
  }
  std::string text(std::string_view key) {
    const auto* value = step_.find(key);
    if (!value) return {};
    if (value->text()) return *value->text();
    complain(fmt::format("`{}` of a step is no text", key));
    return {};
  }
  bool flag(std::string_view key) {
    const auto* value = step_.find(key);
    if (value && !value->boolean()) complain(fmt::format("`{}` of a step is neither true nor false", key));
    return value && value->boolean() && *value->boolean();
  }
  std::uint32_t strip() {
    const auto* value = step_.find("strip");
    if (!value) return 0;
    if (value->integer() && *value->integer() >= 0 && *value->integer() <= 1000)
      return static_cast<std::uint32_t>(*value->integer());
    complain("`strip` of a step is no small number");
    return 0;
  }
  // Where a command runs; it may read around it, and files are written elsewhere.
  LogicalPath directory() {
    if (!step_.find("in")) return LogicalPath(start_);
    auto value = text("in");
    return is_inside(value, {std::string(start_)}) ? value : path("in");
  }
  // A root is a folder.
  LogicalPath file(std::string_view key) {
    auto value = path(key);
    if (value.find('/') == value.npos || value.ends_with('/'))
      complain(fmt::format("\"{}\" is no name for a file", value));
    return value;
  }
  LogicalPath path(std::string_view key) {
    auto value = text(key);
    if (!is_inside(value, folders_))
      complain(fmt::format("it plans to use the path \"{}\", which is outside of its folders ({})", value,
                           fmt::join(folders_, ", ")));
    return value;
  }

  const Json& step_;
  const Folders& folders_;
  std::string_view start_;
  std::string wrong_;
};

Status read_environment(const Json& document, std::vector<std::pair<std::string, std::string>>& out) {
  const auto* given = document.find("environment");
  if (!given) return {};
  if (!given->object()) return wrong("`environment` is no object");
  for (const auto& [name, value] : *given->object()) {
    const bool good = !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == name.npos &&
                      value.text() && value.text()->find('\0') == std::string::npos;
    if (!good) return wrong(fmt::format("the variable \"{}\" of its environment cannot be set", name));
    out.emplace_back(name, *value.text());
  }
  return {};
}

}  // namespace

bool is_inside(std::string_view path, const Folders& folders) {
  const bool strange = path.find('\0') != path.npos || path.find("//") != path.npos ||
                       path.find("/./") != path.npos || path.ends_with("/.");
  if (strange || !sdk::stays_inside(path)) return false;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    if (!path.starts_with(folder)) return false;
    const auto rest = path.substr(folder.size());
    const bool named = folder.find('/') != folder.npos;
    return rest.empty() || rest.front() == '/' || (named && rest.front() == '.');
  });
}

Result<std::vector<Step>> read_steps(const Json& document, const Folders& folders, std::string_view start) {
  const auto* given = document.find("steps");
  if (!given || !given->array()) return wrong("it answered without a list of `steps`");
  std::vector<Step> steps;
  for (const auto& one : *given->array()) {
    auto step = StepReader(one, folders, start).read();
    if (!step) return tl::unexpected(step.error());
    steps.push_back(std::move(*step));
  }
  return steps;
}

Result<ElementPlan> read_plan(const Json& document, const Folders& folders) {
  auto steps = read_steps(document, folders);
  if (!steps) return tl::unexpected(steps.error());
  ElementPlan plan{std::move(*steps), {}};
  if (auto good = read_environment(document, plan.environment); !good) return tl::unexpected(good.error());
  return plan;
}

Result<std::vector<std::string>> read_words(std::string_view json) {
  if (json.empty()) return std::vector<std::string>();
  const auto list = Json::parse(json);
  const auto is_word = [](const Json& one) {
    return one.text() && !one.text()->empty() && one.text()->find_first_of("/ \n") == std::string::npos;
  };
  if (!list || !list->array() || !std::all_of(list->array()->begin(), list->array()->end(), is_word))
    return wrong("is no list of names");
  std::vector<std::string> words;
  for (const auto& one : *list->array()) words.push_back(*one.text());
  return words;
}

Result<std::vector<TokenCount>> read_counts(const Json& json) {
  std::vector<TokenCount> all;
  if (!json.object()) return wrong("is no object of numbers");
  for (const auto& [name, amount] : *json.object()) {
    constexpr std::int64_t kMost = 1 << 30;
    if (name.empty() || !amount.integer() || *amount.integer() < 0 || *amount.integer() > kMost)
      return wrong(fmt::format("has no sensible number for \"{}\"", name));
    all.push_back({name, *amount.integer()});
  }
  return all;
}

}  // namespace weir
