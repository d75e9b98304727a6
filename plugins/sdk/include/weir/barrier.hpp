// Between C++ and the tables of weir/plugin.h: views to strings, answers to replies, and exceptions to a
// status.
#pragma once

#include <cstdint>
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
const weir_host*& host();
// For people who work on the plugin: shown with WEIR_LOG=debug.
void log(std::string_view text);

// Thrown by a kind when what the user wrote, or what a server said, is wrong.
struct Refused {
  std::string message;
  std::string remedy;
  std::string path = {};
};

void complain(const weir_reply* reply, const Complaint& complaint);
void give(const weir_reply* reply, const Json& document);

namespace sdk_detail {
// In a handler: complains about what was thrown.
weir_status complain_of_exception(const weir_reply* reply) noexcept;

using Resolve = void (*)(ConfigReader&);
weir_status resolve_config(weir_view config, const weir_reply* reply, Resolve resolve) noexcept;
// The configuration in the document of a question.
Json config_in(const Json& document);
}  // namespace sdk_detail

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
  } catch (...) {
    return sdk_detail::complain_of_exception(reply);
  }
}

// The document of a question; always an object, since weir made it.
Json document_of(weir_view text);

// resolve(reader) reads what it knows; the rest is refused.
template <class Kind>
weir_status resolve_config(weir_view config, const weir_reply* reply) noexcept {
  return sdk_detail::resolve_config(config, reply, [](ConfigReader& reader) { Kind::resolve(reader); });
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

Json to_json(Plan plan);

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/barrier.ipp>
#endif
