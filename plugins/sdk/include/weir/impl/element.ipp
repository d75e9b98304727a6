// Code of weir/element.hpp, which includes it or is included before it.
#pragma once

namespace weir::sdk::sdk_detail {

WEIR_SDK_CODE weir_status plan_element(weir_view document, const weir_reply* reply,
                                       PlanElement plan) noexcept {
  return behind_barrier(reply, [&] {
    const auto asked = document_of(document);
    return to_json(plan(ElementRequest{config_in(asked), asked.text("prefix"), asked.text("install")}));
  });
}

}  // namespace weir::sdk::sdk_detail
