// Code of weir/source.hpp, which includes it or is included before it.
#pragma once

namespace weir::sdk::sdk_detail {

WEIR_SDK_CODE weir_status describe_source(weir_view document, const weir_reply* reply,
                                          DescribeSource describe) noexcept {
  return behind_barrier(reply, [&]() -> Json {
    auto told = describe(config_in(document_of(document)));
    Json::Object answer{{"key", std::move(told.key)}};
    if (told.path)
      answer.emplace("content", Json::Object{{"path", *told.path}, {"exclude", Json(told.exclude)}});
    return answer;
  });
}
WEIR_SDK_CODE weir_status plan_source(weir_view document, const weir_reply* reply, PlanSource plan) noexcept {
  return behind_barrier(reply, [&]() -> Json {
    const auto asked = document_of(document);
    return Json::Object{{"steps", plan({config_in(asked), asked.text("url"), asked.text("ref"),
                                        asked.text("name"), asked.text("cache")})
                                      .take()}};
  });
}
WEIR_SDK_CODE weir_status parse_track(weir_view document, weir_view content, const weir_reply* reply,
                                      ParseTrack parse) noexcept {
  return behind_barrier(reply, [&]() -> Json {
    const auto asked = document_of(document);
    return Json::Object{
        {"ref", parse(TrackAnswer{config_in(asked), asked.text("sha256"), text_of(content)})}};
  });
}
WEIR_SDK_CODE weir_status plan_stage(weir_view document, const weir_reply* reply, PlanStage plan) noexcept {
  return behind_barrier(reply, [&]() -> Json {
    const auto asked = document_of(document);
    auto stage = plan(StageRequest{config_in(asked), asked.text("directory"), asked.text("name")});
    return Json::Object{{"place", stage.place}, {"steps", std::move(stage.steps).take()}};
  });
}

}  // namespace weir::sdk::sdk_detail
