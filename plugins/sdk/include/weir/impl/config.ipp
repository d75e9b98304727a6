// Code of weir/config.hpp, which includes it or is included before it.
#pragma once

#include <algorithm>

namespace weir::sdk {

WEIR_SDK_CODE ConfigReader::ConfigReader(std::string_view document) {
  if (auto json = Json::parse(document); json && json->object()) config_ = std::move(*json);
  else complain({}, "the configuration cannot be read", "it is nested deeper than anybody would write");
}

WEIR_SDK_CODE std::string ConfigReader::text(std::string_view key, std::string_view standard) {
  const auto* value = find(key);
  std::string text(standard);
  if (value && value->text()) text = *value->text();
  else if (value) complain(key, in_quotes(key) + " has to be a string");
  keep(key, text);
  return text;
}
WEIR_SDK_CODE std::string ConfigReader::required_text(std::string_view key, std::string_view remedy) {
  if (!config_.find(key)) complain({}, in_quotes(key) + " is missing", remedy);
  return text(key);
}
WEIR_SDK_CODE std::vector<std::string> ConfigReader::texts(std::string_view key) {
  auto texts = read_texts(key);
  keep(key, texts);
  return texts;
}
WEIR_SDK_CODE void ConfigReader::texts_for_later(std::string_view key) {
  auto& later = (*resolved_.object())["later"];
  if (!later.object()) later = Json::Object();
  later.object()->insert_or_assign(std::string(key), Json(read_texts(key)));
}
WEIR_SDK_CODE bool ConfigReader::boolean(std::string_view key, bool standard) {
  const auto* value = find(key);
  if (value && value->boolean()) standard = *value->boolean();
  else if (value) complain(key, in_quotes(key) + " has to be true or false");
  keep(key, standard);
  return standard;
}
WEIR_SDK_CODE std::int64_t ConfigReader::integer(std::string_view key, std::int64_t standard,
                                                 std::int64_t least, std::int64_t most) {
  const auto* value = find(key);
  const bool good = value && value->integer() && *value->integer() >= least && *value->integer() <= most;
  if (good) standard = *value->integer();
  else if (value)
    complain(key, in_quotes(key) + " has to be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most));
  keep(key, standard);
  return standard;
}

WEIR_SDK_CODE void ConfigReader::complain(std::string_view path, std::string_view message,
                                          std::string_view remedy) {
  complaints_.push_back({std::string(path), std::string(message), std::string(remedy)});
}
WEIR_SDK_CODE void ConfigReader::finish() {
  for (const auto& [key, value] : *config_.object())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      complain(key, "unknown key " + in_quotes(key), suggestion(key));
}

WEIR_SDK_CODE const Json* ConfigReader::find(std::string_view key) {
  known_.emplace_back(key);
  return config_.find(key);
}
WEIR_SDK_CODE std::vector<std::string> ConfigReader::read_texts(std::string_view key) {
  std::vector<std::string> texts;
  const auto* value = find(key);
  if (value && !value->array()) {
    complain(key, in_quotes(key) + " has to be a list of strings");
  } else if (value) {
    for (std::size_t i = 0; i < value->array()->size(); ++i) {
      const auto& one = (*value->array())[i];
      if (one.text()) texts.push_back(*one.text());
      else
        complain(std::string(key) + "/" + std::to_string(i),
                 in_quotes(key) + " holds something that is no string");
    }
  }
  return texts;
}
WEIR_SDK_CODE void ConfigReader::keep(std::string_view key, Json value) {
  resolved_.object()->insert_or_assign(std::string(key), std::move(value));
}
WEIR_SDK_CODE std::string ConfigReader::suggestion(std::string_view key) const {
  if (const auto* near = nearest(key, known_)) return "did you mean " + in_quotes(*near) + "?";
  return known_.empty() ? "this kind takes none" : "known keys: " + joined(known_, ", ");
}

WEIR_SDK_CODE bool stays_inside(std::string_view path) {
  if (path.starts_with('/')) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return false;
    at = end + 1;
  }
  return true;
}

}  // namespace weir::sdk
