// Between C++ and the tables of weir/plugin.h: views to strings, answers to replies, and exceptions to a
// status.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

#include <weir/plugin.h>
#include <weir/config.hpp>
#include <weir/steps.hpp>

namespace weir::sdk {

constexpr weir_view view(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view text_of(weir_view view) { return {view.data, static_cast<std::size_t>(view.size)}; }

// weir, once it has loaded the plugin.
inline const weir_host*& host() {
  static const weir_host* only = nullptr;
  return only;
}
// For people who work on the plugin: shown with WEIR_LOG=debug.
inline void log(std::string_view text) {
  if (host() && WEIR_HAS(host(), weir_host, log) && host()->log) host()->log(view(text));
}

// Thrown by a kind when what the user wrote, or what a server said, is wrong.
struct Refused {
  std::string message;
  std::string remedy;
  std::string path = {};
};

inline void complain(const weir_reply* reply, const Complaint& complaint) {
  reply->complain(reply, view(complaint.path), view(complaint.message), view(complaint.remedy));
}
inline void give(const weir_reply* reply, const Json& document) { reply->give(reply, view(document.dump())); }

// Runs `answer` and gives what it returns; no exception leaves.
template <class Answer>
weir_status behind_barrier(const weir_reply* reply, const Answer& answer) noexcept {
  try {
    if constexpr (std::is_same_v<decltype(answer()), weir_status>) {
      return answer();
    } else if constexpr (std::is_void_v<decltype(answer())>) {
      answer();
      return WEIR_OK;
    } else {
      give(reply, answer());
      return WEIR_OK;
    }
  } catch (const Refused& refused) {
    complain(reply, {refused.path, refused.message, refused.remedy});
    return WEIR_REFUSED;
  } catch (const std::exception& error) {
    reply->complain(reply, {}, view(error.what()), {});
  } catch (...) {
    reply->complain(reply, {}, view("an exception of a type that is not known"), {});
  }
  return WEIR_BROKEN;
}

// The document of a question; always an object, since weir made it.
inline Json document_of(weir_view text) { return Json::parse(text_of(text)).value_or(Json::Object()); }

// resolve(reader) reads what it knows; the rest is refused.
template <class Kind>
weir_status resolve_config(weir_view config, const weir_reply* reply) noexcept {
  return behind_barrier(reply, [&]() -> weir_status {
    ConfigReader reader(text_of(config));
    Kind::resolve(reader);
    reader.finish();
    for (const auto& complaint : reader.complaints()) complain(reply, complaint);
    if (!reader.complaints().empty()) return WEIR_REFUSED;
    give(reply, reader.resolved());
    return WEIR_OK;
  });
}

// What kinds may leave out.
template <class Kind>
constexpr weir_view example_of() {
  if constexpr (requires { Kind::example; }) return view(Kind::example);
  else return {};
}
template <class Kind>
constexpr weir_view host_tools_of() {
  if constexpr (requires { Kind::host_tools; }) return view(Kind::host_tools);
  else return {};
}
template <class Kind>
constexpr std::uint32_t flags_of() {
  if constexpr (requires { Kind::flags; }) return Kind::flags;
  else return 0;
}
template <class Kind>
constexpr weir_table head_of(std::size_t size) {
  return {static_cast<std::uint32_t>(size),
          Kind::version,
          flags_of<Kind>(),
          0,
          view(Kind::kind),
          example_of<Kind>()};
}

inline Json to_json(Plan plan) {
  Json::Object document{{"steps", std::move(plan.steps).take()}};
  if (!plan.environment.empty()) document.emplace("environment", std::move(plan.environment));
  return document;
}

}  // namespace weir::sdk
