// Code of weir/barrier.hpp, which includes it or is included before it.
#pragma once

#include <exception>

namespace weir::sdk {

WEIR_SDK_CODE const weir_host*& host() {
  static const weir_host* only = nullptr;
  return only;
}
WEIR_SDK_CODE void log(std::string_view text) {
  if (host() && WEIR_HAS(host(), weir_host, log) && host()->log) host()->log(view(text));
}

WEIR_SDK_CODE void complain(const weir_reply* reply, const Complaint& complaint) {
  reply->complain(reply, view(complaint.path), view(complaint.message), view(complaint.remedy));
}
WEIR_SDK_CODE void give(const weir_reply* reply, const Json& document) {
  reply->give(reply, view(document.dump()));
}

WEIR_SDK_CODE Json document_of(weir_view text) { return Json::parse(text_of(text)).value_or(Json::Object()); }

WEIR_SDK_CODE Json to_json(Plan plan) {
  Json::Object document{{"steps", std::move(plan.steps).take()}};
  if (!plan.environment.empty()) document.emplace("environment", std::move(plan.environment));
  return document;
}

namespace sdk_detail {

WEIR_SDK_CODE weir_status complain_of_exception(const weir_reply* reply) noexcept {
  try {
    throw;
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

WEIR_SDK_CODE weir_status resolve_config(weir_view config, const weir_reply* reply,
                                         Resolve resolve) noexcept {
  return behind_barrier(reply, [&]() -> weir_status {
    ConfigReader reader(text_of(config));
    resolve(reader);
    reader.finish();
    for (const auto& complaint : reader.complaints()) complain(reply, complaint);
    if (!reader.complaints().empty()) return WEIR_REFUSED;
    give(reply, reader.resolved());
    return WEIR_OK;
  });
}

WEIR_SDK_CODE Json config_in(const Json& document) {
  const auto* config = document.find("config");
  return config ? *config : Json::Object();
}

}  // namespace sdk_detail

}  // namespace weir::sdk
