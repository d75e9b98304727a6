// Code of weir/steps.hpp, which includes it or is included before it.
#pragma once

namespace weir::sdk {

// Not where the class is: every plan copies and destroys some of them.
WEIR_SDK_CODE Steps::Steps() noexcept = default;
WEIR_SDK_CODE Steps::Steps(const Steps& other) = default;
WEIR_SDK_CODE Steps::Steps(Steps&& other) noexcept = default;
WEIR_SDK_CODE Steps& Steps::operator=(const Steps& other) = default;
WEIR_SDK_CODE Steps& Steps::operator=(Steps&& other) noexcept = default;
WEIR_SDK_CODE Steps::~Steps() = default;

WEIR_SDK_CODE Steps& Steps::run(Words words, std::string_view in, const Exits& exits) {
  Json::Object step{{"run", Json(words)}};
  if (in != "build") step.emplace("in", in);
  Json::Object meanings;
  for (const auto& [exit, failure] : exits) meanings.emplace(std::to_string(exit), failure);
  if (!meanings.empty()) step.emplace("exit", std::move(meanings));
  return add(std::move(step));
}
WEIR_SDK_CODE Steps& Steps::shell(std::string_view command) {
  return run({"sh", "-e", "-c", std::string(command)});
}
WEIR_SDK_CODE Steps& Steps::copy(std::string_view from, std::string_view to) {
  return add({{"copy", from}, {"to", to}});
}
WEIR_SDK_CODE Steps& Steps::write(std::string_view to, std::string_view content, bool executable) {
  return add({{"write", to}, {"content", content}, {"executable", executable}});
}
WEIR_SDK_CODE Steps& Steps::download(std::string_view url, std::string_view to, std::string_view sha256,
                                     bool executable) {
  return add({{"download", url}, {"to", to}, {"sha256", sha256}, {"executable", executable}});
}
WEIR_SDK_CODE Steps& Steps::unpack(std::string_view from, std::string_view to, std::int64_t strip) {
  return add({{"unpack", from}, {"to", to}, {"strip", strip}});
}
WEIR_SDK_CODE Steps& Steps::append(Steps others) {
  for (auto& step : others.all_) all_.push_back(std::move(step));
  return *this;
}
WEIR_SDK_CODE Json::Array Steps::take() && { return std::move(all_); }

WEIR_SDK_CODE Steps& Steps::add(Json::Object step) {
  all_.emplace_back(std::move(step));
  return *this;
}

}  // namespace weir::sdk
