#include "core/control/reply.h"

#include <algorithm>
#include <array>

namespace weir::control {

namespace {

// As Reason.
constexpr std::array<std::string_view, 8> kReasons = {"usage",     "project", "not-found", "system",
                                                      "resources", "network", "cancelled", "bug"};

Reason reason_of(std::string_view word) {
  const auto at = std::find(kReasons.begin(), kReasons.end(), word);
  return at == kReasons.end() ? Reason::usage : static_cast<Reason>(at - kReasons.begin());
}

// Inside of a text an end of line is always escaped, so all that stand there are blanks between values.
std::string in_one_line(std::string_view json) {
  std::string line(json);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::string text_of(const JsonValue& object, std::string_view name) {
  const auto* value = object.member(name);
  return value && value->kind == JsonValue::Kind::text ? value->text : std::string();
}

}  // namespace

std::string done_line() {
  std::string line;
  JsonWriter(line).begin_object().key("v").value(kVersion).key("ok").value(true).end_object();
  return line;
}

std::string done_line(std::string_view member, std::string_view json) {
  std::string line;
  JsonWriter out(line);
  out.begin_object()
      .key("v")
      .value(kVersion)
      .key("ok")
      .value(true)
      .key(member)
      .raw(in_one_line(json))
      .end_object();
  return line;
}

std::string refusal_line(const Refusal& refusal) {
  std::string line;
  JsonWriter out(line);
  out.begin_object().key("v").value(kVersion).key("ok").value(false).key("error").begin_object();
  out.key("reason")
      .value(kReasons[static_cast<std::size_t>(refusal.error.reason)])
      .key("message")
      .value(refusal.error.message);
  if (!refusal.error.remedy.empty()) out.key("remedy").value(refusal.error.remedy);
  if (!refusal.path.empty()) out.key("path").value(refusal.path);
  out.end_object().end_object();
  return line;
}

Result<Reply> parse_reply(std::string_view line) {
  auto document = parse_json(line);
  if (!document)
    return fail(Reason::bug, "the answer of the run cannot be read: " + document.error().message);
  const auto* ok = document->member("ok");
  if (!ok || ok->kind != JsonValue::Kind::boolean)
    return fail(Reason::bug, "the answer of the run says neither yes nor no");
  Reply reply;
  reply.ok = ok->truth;
  if (const auto* error = document->member("error"); error && !reply.ok) {
    reply.error = {reason_of(text_of(*error, "reason")), text_of(*error, "message"),
                   text_of(*error, "remedy")};
    reply.path = text_of(*error, "path");
  }
  reply.document = std::move(*document);
  return reply;
}

}  // namespace weir::control
