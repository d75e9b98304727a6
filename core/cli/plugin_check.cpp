#include "core/cli/plugin_check.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <weir/json.hpp>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/base/real_path.h"
#include "core/cli/command_settings.h"
#include "core/cli/exit_codes.h"
#include "core/cli/tell.h"
#include "core/cli/trust.h"
#include "core/project/element_files.h"
#include "plugins/host/examined_library.h"
#include "plugins/host/interview.h"
#include "plugins/host/library_file.h"
#include "plugins/host/seal.h"

namespace weir::cli {

namespace {

using FindingLevel = PluginFinding::Level;

constexpr auto kQuestionTimeout = std::chrono::seconds(5);
constexpr char kEntry[] = "weir_plugin_entry_v1";

// One question as a child reported it.
struct AskedQuestion {
  std::string question;
  std::string outcome;  // answer, wrong, skipped; empty if the child ended
  std::string text;
  std::vector<std::string> calls;
};

struct Heard {
  std::vector<AskedQuestion> questions;
  std::optional<std::string> unsealed;  // why system calls could not be forbidden
};

void add_line(Heard& heard, const sdk::Json& line) {
  if (line.find("asking")) return heard.questions.push_back({line.text("asking"), {}, {}, {}});
  if (line.find("unsealed")) return void(heard.unsealed = line.text("text"));
  // What is skipped may never have been asked.
  if (heard.questions.empty() || (line.find("skipped") && !heard.questions.back().outcome.empty()))
    heard.questions.emplace_back();
  auto& last = heard.questions.back();
  if (line.find("called")) {
    const auto name = system_call_name(line.integer("called"));
    if (std::find(last.calls.begin(), last.calls.end(), name) == last.calls.end()) last.calls.push_back(name);
    return;
  }
  for (const auto* outcome : {"answer", "wrong", "skipped"})
    if (line.find(outcome)) last = {line.text(outcome), outcome, line.text("text"), last.calls};
}

Heard read_interview(const std::string& text) {
  Heard heard;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    if (const auto line = sdk::Json::parse(std::string_view(text).substr(from, end - from)))
      add_line(heard, *line);
    from = end + 1;
  }
  return heard;
}

// "the plugin FILE (..), asked to plan: what" without what is told beside it.
std::string without_title(const std::string& message) {
  const auto asked = message.find(", asked to ");
  const auto colon = asked == message.npos ? asked : message.find(": ", asked);
  return colon == message.npos ? message : message.substr(colon + 2);
}

// A fork has everything where its parent has it. Takes the places where a library would be put and where the
// heap has room, so that both come to be elsewhere: gaps of every size are filled.
void move_memory() {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t pages = 4096; pages > 0; pages /= 2)
    (void)::mmap(nullptr, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  [[maybe_unused]] static void* volatile taken;
  for (std::size_t size = 16; size <= 4096; size += 16)
    for (int i = 0; i < 8; ++i) taken = std::malloc(size);
}

// What a plugin could see of its process and must not: variables, the folder, and where things are.
void change_surroundings() {
  ::clearenv();
  for (const auto* variable : {"HOME", "USER", "LANG", "LC_ALL", "TZ", "PATH", "TMPDIR", "SOURCE_DATE_EPOCH"})
    ::setenv(variable, "/weir-check", 1);
  [[maybe_unused]] const int moved = ::chdir("/");
  ::umask(077);
  move_memory();
}

class PluginCheck {
 public:
  PluginCheck(std::string file, std::string config)
      : file_(std::move(file)), config_(std::move(config)), limit_(plugin_patience(kQuestionTimeout)) {}

  std::vector<PluginFinding> run() {
    if (is_library()) {
      exports_one_symbol();
      if (const auto library = loads())
        for (const auto& kind : library->kinds) check(kind);
    }
    return std::move(findings_);
  }

 private:
  void add(FindingLevel level, std::string name, std::string message) {
    findings_.push_back({level, std::move(name), std::move(message)});
  }
  void add(const Error& error, std::string name) {
    add(FindingLevel::wrong, std::move(name),
        error.remedy.empty() ? error.message : error.message + "; " + error.remedy);
  }

  bool is_library() {
    const auto good = check_library_file(file_);
    if (!good) add(good.error(), "file");
    else add(FindingLevel::ok, "file", "a shared library for this machine");
    return good.has_value();
  }

  // C++ without the list of exports has hundreds.
  static std::string some_of(const std::vector<std::string>& symbols) {
    constexpr std::ptrdiff_t kShown = 5;
    if (symbols.empty()) return "nothing";
    const auto end = symbols.begin() + std::min<std::ptrdiff_t>(kShown, std::ssize(symbols));
    const auto shown = fmt::format("{}", fmt::join(symbols.begin(), end, ", "));
    return std::ssize(symbols) > kShown ? fmt::format("{} and {} more", shown, std::ssize(symbols) - kShown)
                                        : shown;
  }

  void exports_one_symbol() {
    const auto symbols = exported_symbols(file_);
    if (!symbols) return add(symbols.error(), "exports");
    if (*symbols == std::vector<std::string>{kEntry}) return add(FindingLevel::ok, "exports", kEntry);
    add(FindingLevel::wrong, "exports",
        fmt::format("{}; it has to be {} alone, or it may take the place of a symbol of another library: "
                    "weir_add_plugin() sees to that",
                    some_of(*symbols), kEntry));
  }

  std::optional<ExaminedLibrary> loads() {
    auto library = examine_library(file_, limit_);
    if (!library) return add(library.error(), "load"), std::nullopt;
    add(FindingLevel::ok, "load", fmt::format("{} {}", library->name, library->version));
    add(FindingLevel::ok, "ABI", library->abi);
    for (const auto& type : library->unknown)
      add(FindingLevel::not_done, type, "this weir does not know the type");
    return std::move(*library);
  }

  void check(const ExaminedKind& kind) {
    const auto title = fmt::format("{} {}", to_string(kind.type), kind.kind);
    const InterviewRequest request{file_, kind.type, kind.kind, config_.empty() ? kind.example : config_};
    if (!is_object(request.config)) return add(FindingLevel::wrong, title, "its example is no JSON object");
    const auto first = in_child(limit_, [&](int report) { interview(request, report); });
    const auto second = in_child(limit_, [&](int report) {
      change_surroundings();
      interview(request, report);
    });
    const auto heard = read_interview(first.text), again = read_interview(second.text);
    for (std::size_t i = 0; i < heard.questions.size(); ++i)
      judge(title, heard.questions[i], i < again.questions.size() ? &again.questions[i] : nullptr, first);
    if (first.finished() && !second.finished())
      add(FindingLevel::wrong, title, "it " + to_text(second, limit_) + ", in another environment");
    if (!first.finished() && heard.questions.empty())
      add(FindingLevel::wrong, title, "it " + to_text(first, limit_));
    if (heard.unsealed) add(FindingLevel::not_done, title + ": system calls", *heard.unsealed);
    if (request.config.empty() && needs_config(kind))
      add(FindingLevel::not_done, title + ": configuration", "it has no example; give one with --config");
  }

  static bool is_object(const std::string& config) {
    if (config.empty()) return true;
    const auto json = sdk::Json::parse(config);
    return json && json->object();
  }
  static bool needs_config(const ExaminedKind& kind) {
    return kind.type == PluginType::element || kind.type == PluginType::source;
  }

  void judge(const std::string& title, const AskedQuestion& asked, const AskedQuestion* again,
             const ChildReport& child) {
    const auto name = title + ": " + asked.question;
    if (!asked.calls.empty())
      add(FindingLevel::wrong, name,
          fmt::format(
              "it called {}; questions are answered without the system, and weir does what is to be done",
              fmt::join(asked.calls, ", ")));
    if (asked.outcome.empty()) return add(FindingLevel::wrong, name, "it " + to_text(child, limit_));
    if (asked.outcome == "wrong") return add(FindingLevel::wrong, name, without_title(asked.text));
    if (asked.outcome == "skipped") return add(FindingLevel::not_done, name, asked.text);
    if (again && again->outcome == "answer" && again->text != asked.text)
      return add(FindingLevel::wrong, name,
                 fmt::format("in another process with another environment it answered \"{}\", and not \"{}\"",
                             again->text, asked.text));
    if (again && again->outcome == "wrong")
      return add(FindingLevel::wrong, name,
                 "in another process with another environment: " + without_title(again->text));
    if (asked.calls.empty()) add(FindingLevel::ok, name, {});
  }

  std::string file_;
  std::string config_;
  std::chrono::seconds limit_;
  std::vector<PluginFinding> findings_;
};

bool all_well(const std::vector<PluginFinding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const auto& one) { return one.level == FindingLevel::wrong; });
}

void print_findings(const std::vector<PluginFinding>& findings) {
  constexpr std::string_view kWords[] = {"ok", "WRONG", "not done"};
  std::size_t names = 0;
  for (const auto& finding : findings) names = std::max(names, finding.name.size());
  for (const auto& finding : findings) {
    auto line = fmt::format("{:<8}  {:<{}}  {}", kWords[static_cast<std::size_t>(finding.level)],
                            finding.name, names, printable(finding.message));
    line.erase(line.find_last_not_of(' ') + 1);
    weir::print("{}\n", line);
  }
}

void print_findings_json(const std::string& file, const std::vector<PluginFinding>& findings) {
  constexpr std::string_view kWords[] = {"ok", "wrong", "not-done"};
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .key("v")
      .value(1)
      .key("ok")
      .value(all_well(findings))
      .key("file")
      .value(file)
      .key("checks")
      .begin_array();
  for (const auto& finding : findings) {
    json.begin_object().key("level").value(kWords[static_cast<std::size_t>(finding.level)]);
    json.key("name").value(finding.name).key("message").value(finding.message).end_object();
  }
  json.end_array().end_object();
  weir::print("{}\n", out);
}

Status check_words(const std::string& file, const std::string& config) {
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0)
    return fail(Reason::not_found, fmt::format("there is no file {}", weir::in_quotes(file)),
                "name the library of a plugin, as element-make.so");
  if (config.empty()) return {};
  const auto json = sdk::Json::parse(config);
  if (json && json->object()) return {};
  return fail(Reason::usage, "what --config gives is no JSON object",
              R"(write it as '{"commands": ["true"]}')");
}

// A library that a project brings is tried only if the project is trusted: to try it is to run it.
tl::expected<void, int> require_trusted_file(const Globals& globals, const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().string();
  if (!find_project(folder)) return {};
  const auto loaded = load_project({.directory = folder});
  const auto settings = load_settings({nullptr, command_settings(globals), {}}, {});
  if (!settings.ok()) return tl::unexpected(tell(settings.diagnostics, settings.files));
  auto trust = examine_trust(loaded, settings.settings);
  const auto real = real_path(path).value_or(path);
  const bool is_of_project = std::any_of(trust.items.begin(), trust.items.end(), [&](const TrustItem& item) {
    return !item.file.empty() && real_path(item.file).value_or(item.file) == real;
  });
  if (!is_of_project) return {};
  return require_trust(trust, loaded, settings.settings, TrustStage::open, Asking::yes);
}

}  // namespace

std::vector<PluginFinding> check_plugin(const std::string& file, const std::string& config) {
  return PluginCheck(file, config).run();
}

int run_plugin_check(const Globals& globals, const std::string& file, const std::string& config, bool json) {
  if (const auto good = check_words(file, config); !good) return tell(good.error());
  const auto path =
      std::filesystem::absolute(file).lexically_normal().string();  // a name alone would be searched for
  if (const auto allowed = require_trusted_file(globals, path); !allowed) return allowed.error();
  const auto findings = check_plugin(path, config);
  if (json) print_findings_json(path, findings);
  else print_findings(findings);
  return all_well(findings) ? kDone : kSomethingWrong;
}

}  // namespace weir::cli
