// Code of weir/queue.hpp, which includes it or is included before it.
#pragma once

namespace weir::sdk::sdk_detail {

WEIR_SDK_CODE QueueRequest queue_request(weir_view document) {
  const auto asked = document_of(document);
  const auto part = [&](std::string_view key) {
    const auto* found = asked.find(key);
    return found ? *found : Json(Json::Object());
  };
  return {part("config"), part("element"), asked.text("prefix"), asked.text("install"), part("result")};
}

WEIR_SDK_CODE weir_status queue_needs(weir_view document, const weir_reply* reply,
                                      QueueNeeds needs) noexcept {
  return behind_barrier(reply, [&]() -> Json {
    return Json::Object{{"tokens", needs(queue_request(document))}};
  });
}
WEIR_SDK_CODE weir_status classify_queue(weir_view document, const weir_reply* reply,
                                         ClassifyQueue classify) noexcept {
  return behind_barrier(reply, [&]() -> Json {
    const Classified told = classify(queue_request(document));
    return Json::Object{{"is", told.is}, {"reason", told.reason}};
  });
}
WEIR_SDK_CODE weir_status plan_queue(weir_view document, const weir_reply* reply, PlanQueue plan) noexcept {
  return behind_barrier(reply, [&] { return to_json(plan(queue_request(document))); });
}
WEIR_SDK_CODE weir_status queue_result(weir_view document, const weir_reply* reply,
                                       QueueResult on_result) noexcept {
  return behind_barrier(reply, [&]() -> Json {
    constexpr std::string_view kWords[] = {"done", "skip", "fail"};
    return Json::Object{{"means", kWords[static_cast<int>(on_result(queue_request(document)))]}};
  });
}

}  // namespace weir::sdk::sdk_detail
