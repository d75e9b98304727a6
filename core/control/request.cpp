#include "core/control/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/json_value.h"
#include "core/base/text.h"

namespace weir::control {

namespace {

using Kind = JsonValue::Kind;

constexpr std::array<std::string_view, 3> kOrders = {"drain", "remove", "return"};  // as WorkerOrder

// A word of the client's in a message; nobody needs a megabyte of it back.
std::string shown(std::string_view word) {
  constexpr std::size_t kMost = 60;
  return word.size() > kMost ? fmt::format("\"{}...\"", word.substr(0, kMost)) : fmt::format("\"{}\"", word);
}

// "/" and "~" have a meaning in a JSON pointer.
std::string pointer(std::string_view member) {
  std::string out = "/";
  for (const char letter : member.substr(0, 60))
    if (letter == '~') out += "~0";
    else if (letter == '/') out += "~1";
    else out += letter;
  return out;
}

// The members of one request. The first thing that is wrong is kept; what is asked after it has a harmless
// answer.
class Members {
 public:
  explicit Members(const JsonValue& document) : document_(document) {}

  const std::optional<Refusal>& problem() const { return problem_; }
  const JsonValue* find(std::string_view name) const { return document_.member(name); }

  void refuse(std::string path, std::string message, std::string remedy) {
    if (!problem_)
      problem_ = Refusal{{Reason::usage, std::move(message), std::move(remedy)}, std::move(path)};
  }
  void refuse_member(std::string_view name, std::string_view what, std::string remedy = {}) {
    refuse(pointer(name), fmt::format("\"{}\" {}", name, what), std::move(remedy));
  }

  std::string text(std::string_view name) {
    if (!find(name)) refuse_member(name, "is missing");
    return optional_text(name);
  }
  std::string optional_text(std::string_view name) {
    const auto* value = find(name);
    if (!value) return {};
    if (value->kind != Kind::text) refuse_member(name, "is no text");
    else if (value->text.empty()) refuse_member(name, "is empty");
    return value->text;
  }
  // An empty one would be all jobs, which nobody means who writes it.
  std::string job() {
    const auto* value = find("job");
    if (!value || value->kind != Kind::number) return optional_text("job");
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!std::all_of(value->text.begin(), value->text.end(), is_digit))
      refuse_member("job", "is no number of a job");
    return value->text;
  }
  std::vector<std::string> texts(std::string_view name) {
    std::vector<std::string> out;
    const auto* value = find(name);
    if (!value) refuse_member(name, "is missing");
    else if (value->kind != Kind::array) refuse_member(name, "is no array");
    else if (value->items.empty()) refuse_member(name, "is empty");
    else out = texts_of(*value, pointer(name));
    return out;
  }
  std::string json(std::string_view name) {
    if (const auto* value = find(name)) return to_json(*value);
    refuse_member(name, "is missing");
    return {};
  }
  void allow(std::span<const std::string_view> names) {
    for (const auto& name : document_.names) {
      if (name == "v" || name == "op" || std::find(names.begin(), names.end(), name) != names.end()) continue;
      const auto remedy = names.empty() ? "this op has none beside v and op" : near_or_all(name, names);
      return refuse(pointer(name), fmt::format("there is no member {} here", shown(name)), remedy);
    }
  }

 private:
  std::vector<std::string> texts_of(const JsonValue& array, const std::string& path) {
    std::vector<std::string> out;
    for (const auto& item : array.items) {
      const auto at = fmt::format("{}/{}", path, out.size());
      if (item.kind != Kind::text) refuse(at, "a target is no text", {});
      else if (item.text.empty()) refuse(at, "a target is empty", {});
      out.push_back(item.text);
    }
    return out;
  }

  const JsonValue& document_;
  std::optional<Refusal> problem_;
};

WorkerOrder read_order(Members& members) {
  const auto word = members.text("order");
  const auto order = parse_worker_order(word);
  if (!order) members.refuse("/order", order.error().message, order.error().remedy);
  return order.value_or(WorkerOrder::drain);
}

struct Op {
  std::string_view name;
  std::vector<std::string_view> members;
  Request (*read)(Members&);
};

const std::vector<Op>& ops() {
  static const std::vector<Op> all = {
      {"status", {}, [](Members&) -> Request { return request::Status{}; }},
      {"cancel", {"job"}, [](Members& m) -> Request { return request::Cancel{m.job()}; }},
      {"suspend", {"job"}, [](Members& m) -> Request { return request::Suspend{m.job()}; }},
      {"resume", {"job"}, [](Members& m) -> Request { return request::Resume{m.job()}; }},
      {"submit",
       {"requestor", "targets"},
       [](Members& m) -> Request {
         return request::Submit{m.optional_text("requestor"), m.texts("targets")};
       }},
      {"get", {"name"}, [](Members& m) -> Request { return request::Get{m.optional_text("name")}; }},
      {"set",
       {"name", "value"},
       [](Members& m) -> Request {
         return request::Set{m.text("name"), m.json("value")};
       }},
      {"worker",
       {"order", "name"},
       [](Members& m) -> Request {
         return request::Worker{m.text("name"), read_order(m)};
       }},
  };
  return all;
}

const Op* find_op(Members& members) {
  const auto name = members.text("op");
  std::vector<std::string_view> names;
  for (const auto& op : ops()) {
    if (op.name == name) return &op;
    names.push_back(op.name);
  }
  members.refuse("/op", fmt::format("there is no op {}", shown(name)), near_or_all(name, names));
  return nullptr;
}

void check_version(Members& members) {
  const auto* version = members.find("v");
  const std::string_view text =
      version && version->kind == Kind::number ? std::string_view(version->text) : "";
  if (text == std::to_string(kVersion)) return;
  const bool newer = !text.empty() && text.find_first_not_of("0123456789") == text.npos && text != "0";
  if (newer)
    members.refuse(
        "/v", fmt::format("this run speaks version {} of the protocol, not {}", kVersion, text.substr(0, 20)),
        "use the weir that the run was started with");
  else
    members.refuse("/v", fmt::format("\"v\" is not the version of the protocol, which is {}", kVersion), {});
}

struct Writer {
  JsonWriter& json;

  void operator()(const request::Status&) const { op("status"); }
  void operator()(const request::Cancel& asked) const { job("cancel", asked.job); }
  void operator()(const request::Suspend& asked) const { job("suspend", asked.job); }
  void operator()(const request::Resume& asked) const { job("resume", asked.job); }
  void operator()(const request::Submit& asked) const {
    op("submit");
    if (!asked.requestor.empty()) json.key("requestor").value(asked.requestor);
    json.key("targets").begin_array();
    for (const auto& target : asked.targets) json.value(target);
    json.end_array();
  }
  void operator()(const request::Get& asked) const {
    op("get");
    if (!asked.name.empty()) json.key("name").value(asked.name);
  }
  void operator()(const request::Set& asked) const {
    op("set");
    json.key("name").value(asked.name).key("value").raw(asked.json);
  }
  void operator()(const request::Worker& asked) const {
    op("worker");
    json.key("order").value(kOrders[static_cast<std::size_t>(asked.order)]).key("name").value(asked.name);
  }

 private:
  void op(std::string_view name) const { json.key("op").value(name); }
  void job(std::string_view name, const std::string& job) const {
    op(name);
    if (!job.empty()) json.key("job").value(job);
  }
};

}  // namespace

tl::expected<Request, Refusal> parse_request(std::string_view line) {
  const auto document = parse_json(line);
  if (!document)
    return tl::unexpected(
        Refusal{{Reason::usage, "the request cannot be read: " + document.error().message, {}}, {}});
  if (document->kind != Kind::object)
    return tl::unexpected(
        Refusal{{Reason::usage, "the request is no object", R"(for example {"v":1,"op":"status"})"}, {}});
  Members members(*document);
  check_version(members);
  const auto* op = members.problem() ? nullptr : find_op(members);
  Request request;
  if (op) {
    members.allow(op->members);
    request = op->read(members);
  }
  if (members.problem()) return tl::unexpected(*members.problem());
  return request;
}

std::string to_line(const Request& request) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().key("v").value(kVersion);
  std::visit(Writer{json}, request);
  json.end_object();
  return line;
}

Result<WorkerOrder> parse_worker_order(std::string_view word) {
  const auto at = std::find(kOrders.begin(), kOrders.end(), word);
  if (at == kOrders.end())
    return fail(Reason::usage, fmt::format("there is no order {} for a worker", shown(word)),
                near_or_all(word, kOrders));
  return static_cast<WorkerOrder>(at - kOrders.begin());
}

std::string near_or_all(std::string_view word, std::span<const std::string_view> all) {
  if (const auto near = did_you_mean(word, all)) return fmt::format("did you mean \"{}\"?", *near);
  return fmt::format("there are: {}", fmt::join(all, ", "));
}

}  // namespace weir::control
