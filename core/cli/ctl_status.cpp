#include "core/cli/ctl_status.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/cli/text_table.h"
#include "core/report/run_picture.h"

namespace weir::cli {

namespace {

// What a screen holds; --json has all.
constexpr std::size_t kMostNamed = 8;
constexpr std::size_t kMostJobs = 50;

using Kind = JsonValue::Kind;

// A text or a number as a word; empty if it is neither, or not there.
std::string word(const JsonValue& object, std::string_view name) {
  const auto* value = object.member(name);
  return value && (value->kind == Kind::text || value->kind == Kind::number) ? printable(value->text)
                                                                             : std::string();
}

double number(const JsonValue& object, std::string_view name) {
  double out = 0;
  const auto text = word(object, name);
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::string time(const JsonValue& object) {
  const auto* value = object.member("seconds");
  const auto seconds = number(object, "seconds");
  // A Duration ends at three hundred years.
  if (!value || value->kind != Kind::number || !(seconds >= 0 && seconds < 1e9)) return {};
  return format_duration(from_seconds(seconds));
}

const std::vector<JsonValue>& list(const JsonValue& status, std::string_view name) {
  static const std::vector<JsonValue> none;
  const auto* value = status.member(name);
  return value && value->kind == Kind::array ? value->items : none;
}

std::string first_line(const JsonValue& status) {
  std::string text = "run " + word(status, "run");
  if (const auto project = word(status, "project"); !project.empty()) text += " of " + project;
  std::string more;
  const auto add = [&](const std::string& what) {
    more += (more.empty() || what.empty() ? "" : ", ") + what;
  };
  add(word(status, "state"));
  add(time(status));
  if (const auto pid = word(status, "pid"); !pid.empty()) add("pid " + pid);
  return text + (more.empty() ? "" : ": " + more) + "\n";
}

std::string amount(const std::string& token, const JsonValue& object, std::string_view name) {
  const auto value = number(object, name);
  return token == "memory" && value >= 0 && value < 1e18 ? format_bytes(static_cast<std::uint64_t>(value))
                                                         : word(object, name);
}

std::string token_text(const JsonValue& token) {
  const auto name = word(token, "name");
  return fmt::format("{} {}/{}", name, amount(name, token, "used"), amount(name, token, "capacity"));
}

std::string worker_text(const JsonValue& worker) {
  const auto state = word(worker, "state");
  const auto unusual = state.empty() || state == "up" ? "" : " (" + state + ")";
  return fmt::format("{} {}/{}{}", word(worker, "name"), word(worker, "running"), word(worker, "slots"),
                     unusual);
}

std::string class_text(const JsonValue& one) {
  return fmt::format("{} {} running {} waiting", word(one, "name"), word(one, "running"),
                     word(one, "waiting"));
}

// A cluster in a line: how many are how, and what they run.
std::string worker_counts(const std::vector<JsonValue>& workers) {
  std::map<std::string, std::size_t> states;
  double running = 0, slots = 0;
  for (const auto& worker : workers) {
    ++states[word(worker, "state")];
    running += number(worker, "running");
    slots += number(worker, "slots");
  }
  std::string text;
  for (const auto& [state, count] : states)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
  return fmt::format("{}; {:.0f}/{:.0f} slots", text, running, slots);
}

std::string named_line(std::string_view title, const std::vector<JsonValue>& items,
                       std::string (*text_of)(const JsonValue&)) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return items.empty() ? "" : fmt::format("{:<8} {}\n", title, text);
}

std::string workers_line(const std::vector<JsonValue>& workers) {
  if (workers.size() <= kMostNamed) return named_line("workers", workers, worker_text);
  return fmt::format("{:<8} {}\n", "workers", worker_counts(workers));
}

std::vector<std::string> words(const JsonValue& object, const std::vector<TableColumn>& columns) {
  std::vector<std::string> row;
  for (const auto& column : columns)
    row.push_back(column.title == "time" ? time(object) : word(object, column.title));
  return row;
}

// Columns have the names of members.
std::string table(const std::vector<JsonValue>& items, const std::vector<TableColumn>& columns,
                  std::size_t most) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < items.size() && i < most; ++i) rows.push_back(words(items[i], columns));
  auto text = text_table(columns, rows);
  if (text.empty()) return text;
  if (items.size() > most) text += fmt::format("and {} more; --json has all\n", items.size() - most);
  return "\n" + text;
}

}  // namespace

std::string status_text(const JsonValue& status) {
  static const std::vector<TableColumn> queue_columns = {
      {"name"},       {"waiting", true}, {"ready", true}, {"running", true},
      {"done", true}, {"skipped", true}, {"failed", true}};
  static const std::vector<TableColumn> job_columns = {
      {"job", true}, {"element"}, {"queue"}, {"worker"}, {"class"}, {"requestor"}, {"time", true}, {"state"}};
  auto text = first_line(status);
  text += named_line("tokens", list(status, "tokens"), token_text);
  text += workers_line(list(status, "workers"));
  text += named_line("classes", list(status, "classes"), class_text);
  text += table(list(status, "queues"), queue_columns, kMostJobs);
  text += table(list(status, "jobs"), job_columns, kMostJobs);
  return text;
}

}  // namespace weir::cli
