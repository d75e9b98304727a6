// Reads the configuration of a kind: each key is asked for by name and type, and what nobody asked for is
// refused. What was read, defaults included, becomes the resolved document.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/json.hpp>
#include <weir/words.hpp>

namespace weir::sdk {

struct Complaint {
  std::string path;  // of the value: "commands", "commands/2", or nothing for all of it
  std::string message;
  std::string remedy;
};

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view document) {
    if (auto json = Json::parse(document); json && json->object()) config_ = std::move(*json);
    else complain({}, "the configuration cannot be read", "it is nested deeper than anybody would write");
  }

  std::string text(std::string_view key, std::string_view standard = {}) {
    const auto* value = find(key);
    std::string text(standard);
    if (value && value->text()) text = *value->text();
    else if (value) complain(key, in_quotes(key) + " has to be a string");
    return keep(key, std::move(text));
  }
  std::string required_text(std::string_view key, std::string_view remedy) {
    if (!config_.find(key)) complain({}, in_quotes(key) + " is missing", remedy);
    return text(key);
  }
  std::vector<std::string> texts(std::string_view key) { return keep(key, read_texts(key)); }
  // For queues behind `build` alone: no part of the key of the artifact.
  void texts_for_later(std::string_view key) {
    auto& later = (*resolved_.object())["later"];
    if (!later.object()) later = Json::Object();
    later.object()->insert_or_assign(std::string(key), Json(read_texts(key)));
  }
  bool boolean(std::string_view key, bool standard) {
    const auto* value = find(key);
    if (value && value->boolean()) standard = *value->boolean();
    else if (value) complain(key, in_quotes(key) + " has to be true or false");
    return keep(key, standard);
  }
  std::int64_t integer(std::string_view key, std::int64_t standard, std::int64_t least, std::int64_t most) {
    const auto* value = find(key);
    const bool good = value && value->integer() && *value->integer() >= least && *value->integer() <= most;
    if (good) standard = *value->integer();
    else if (value)
      complain(key, in_quotes(key) + " has to be a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most));
    return keep(key, standard);
  }

  void complain(std::string_view path, std::string_view message, std::string_view remedy = {}) {
    complaints_.push_back({std::string(path), std::string(message), std::string(remedy)});
  }
  // Complains about all keys that nobody asked for.
  void finish() {
    for (const auto& [key, value] : *config_.object())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        complain(key, "unknown key " + in_quotes(key), suggestion(key));
  }
  const std::vector<Complaint>& complaints() const { return complaints_; }
  const Json& resolved() const { return resolved_; }

 private:
  const Json* find(std::string_view key) {
    known_.emplace_back(key);
    return config_.find(key);
  }
  std::vector<std::string> read_texts(std::string_view key) {
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
  template <class Value>
  Value keep(std::string_view key, Value value) {
    resolved_.object()->insert_or_assign(std::string(key), Json(value));
    return value;
  }
  std::string suggestion(std::string_view key) const {
    if (const auto* near = nearest(key, known_)) return "did you mean " + in_quotes(*near) + "?";
    return known_.empty() ? "this kind takes none" : "known keys: " + joined(known_, ", ");
  }

  Json config_ = Json::Object();
  Json resolved_ = Json::Object();
  std::vector<std::string> known_;
  std::vector<Complaint> complaints_;
};

// "sub/dir": relative, and no part of it is "..".
inline bool stays_inside(std::string_view path) {
  if (path.starts_with('/')) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return false;
    at = end + 1;
  }
  return true;
}

}  // namespace weir::sdk
