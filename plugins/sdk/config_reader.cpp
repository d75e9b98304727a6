#include "plugins/sdk/config_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace weir {

using Json = nlohmann::json;

struct ConfigReader::Impl {
  Json config;
  Json resolved = Json::object();
  std::vector<std::string> known;
  std::vector<Complaint> complaints;

  const Json* find(std::string_view key) {
    known.emplace_back(key);
    const auto at = config.find(key);
    return at == config.end() ? nullptr : &*at;
  }
};

ConfigReader::ConfigReader(std::string_view json) : impl_(std::make_unique<Impl>()) {
  impl_->config = Json::parse(json, nullptr, false);
  if (!impl_->config.is_object()) impl_->config = Json::object();
}

ConfigReader::~ConfigReader() = default;

std::string ConfigReader::text(std::string_view key, std::string_view standard) {
  const auto* value = impl_->find(key);
  std::string text(standard);
  if (value && value->is_string()) text = value->get<std::string>();
  else if (value) complain(key, fmt::format("\"{}\" has to be a string", key));
  impl_->resolved[std::string(key)] = text;
  return text;
}

std::string ConfigReader::required_text(std::string_view key, std::string_view remedy) {
  if (!impl_->config.contains(key)) complain({}, fmt::format("\"{}\" is missing", key), std::string(remedy));
  return text(key);
}

std::vector<std::string> ConfigReader::texts(std::string_view key) {
  std::vector<std::string> texts;
  const auto* value = impl_->find(key);
  if (value && !value->is_array()) {
    complain(key, fmt::format("\"{}\" has to be a list of strings", key));
  } else if (value) {
    for (std::size_t i = 0; i < value->size(); ++i) {
      if ((*value)[i].is_string()) texts.push_back((*value)[i].get<std::string>());
      else complain(fmt::format("{}/{}", key, i), fmt::format("\"{}\" holds something that is no string", key));
    }
  }
  impl_->resolved[std::string(key)] = texts;
  return texts;
}

bool ConfigReader::boolean(std::string_view key, bool standard) {
  const auto* value = impl_->find(key);
  if (value && value->is_boolean()) standard = value->get<bool>();
  else if (value) complain(key, fmt::format("\"{}\" has to be true or false", key));
  impl_->resolved[std::string(key)] = standard;
  return standard;
}

std::int64_t ConfigReader::integer(std::string_view key, std::int64_t standard, std::int64_t least, std::int64_t most) {
  const auto* value = impl_->find(key);
  const bool good = value && value->is_number_integer() && value->get<std::int64_t>() >= least && value->get<std::int64_t>() <= most;
  if (good) standard = value->get<std::int64_t>();
  else if (value) complain(key, fmt::format("\"{}\" has to be a whole number from {} to {}", key, least, most));
  impl_->resolved[std::string(key)] = standard;
  return standard;
}

void ConfigReader::complain(std::string_view path, std::string message, std::string remedy) {
  impl_->complaints.push_back({std::string(path), std::move(message), std::move(remedy)});
}

ResolvedConfig ConfigReader::finish() {
  const std::vector<std::string_view> known(impl_->known.begin(), impl_->known.end());
  for (const auto& [key, value] : impl_->config.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto near = did_you_mean(key, known);
    complain(key, fmt::format("unknown key \"{}\"", key),
             near            ? fmt::format("did you mean \"{}\"?", *near)
             : known.empty() ? "this kind takes none"
                             : fmt::format("known keys: {}", fmt::join(known, ", ")));
  }
  return {impl_->resolved.dump(), std::move(impl_->complaints)};
}

namespace {

Json parsed(std::string_view resolved) { return Json::parse(resolved, nullptr, false); }

}  // namespace

std::string text_in(std::string_view resolved, std::string_view key) {
  const auto json = parsed(resolved);
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::vector<std::string> texts_in(std::string_view resolved, std::string_view key) {
  const auto json = parsed(resolved);
  const auto at = json.find(key);
  return at != json.end() && at->is_array() ? at->get<std::vector<std::string>>() : std::vector<std::string>();
}

bool boolean_in(std::string_view resolved, std::string_view key) {
  const auto json = parsed(resolved);
  const auto at = json.find(key);
  return at != json.end() && at->is_boolean() && at->get<bool>();
}

std::int64_t integer_in(std::string_view resolved, std::string_view key) {
  const auto json = parsed(resolved);
  const auto at = json.find(key);
  return at != json.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

std::string part_of(std::string_view resolved, std::initializer_list<std::string_view> keys) {
  const auto json = parsed(resolved);
  auto part = Json::object();
  for (const auto key : keys)
    if (const auto at = json.find(key); at != json.end()) part[std::string(key)] = *at;
  return part.dump();
}

bool stays_inside(std::string_view path) {
  if (path.starts_with('/')) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return false;
    at = end + 1;
  }
  return true;
}

}  // namespace weir
