// An element kind:
//
//   struct Greet {
//     static constexpr std::string_view kind = "greet";
//     static constexpr std::uint32_t version = 1;
//     static void resolve(ConfigReader& config) { config.text("name", "world"); }
//     static Plan plan(const ElementRequest& request) { ... }
//   };
//
// It may also have: example, host_tools (JSON texts), flags.
#pragma once

#include <string>
#include <utility>

#include <weir/entry.hpp>

namespace weir::sdk {

struct ElementRequest {
  Json config;          // as resolve left it
  std::string prefix;   // where it will be used
  std::string install;  // DESTDIR
};

namespace sdk_detail {
using PlanElement = Plan (*)(ElementRequest&&);
weir_status plan_element(weir_view document, const weir_reply* reply, PlanElement plan) noexcept;
}  // namespace sdk_detail

template <class Kind>
struct ElementTable {
  static weir_status plan(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::plan_element(
        document, reply, [](ElementRequest&& request) -> Plan { return Kind::plan(std::move(request)); });
  }
  static constexpr weir_element_v1 table = {head_of<Kind>(sizeof(weir_element_v1)), host_tools_of<Kind>(),
                                            resolve_config<Kind>, plan};
};

template <class Kind>
constexpr weir_offer element() {
  return {view(WEIR_ELEMENT), &ElementTable<Kind>::table};
}

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/element.ipp>
#endif
