// Reads the configuration of a kind: each key is asked for by name and type, and what nobody asked for is
// refused. What was read, defaults included, becomes the resolved document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
  explicit ConfigReader(std::string_view document);

  std::string text(std::string_view key, std::string_view standard = {});
  std::string required_text(std::string_view key, std::string_view remedy);
  std::vector<std::string> texts(std::string_view key);
  // For queues behind `build` alone: no part of the key of the artifact.
  void texts_for_later(std::string_view key);
  bool boolean(std::string_view key, bool standard);
  std::int64_t integer(std::string_view key, std::int64_t standard, std::int64_t least, std::int64_t most);

  void complain(std::string_view path, std::string_view message, std::string_view remedy = {});
  // Complains about all keys that nobody asked for.
  void finish();
  const std::vector<Complaint>& complaints() const { return complaints_; }
  const Json& resolved() const { return resolved_; }

 private:
  const Json* find(std::string_view key);
  std::vector<std::string> read_texts(std::string_view key);
  void keep(std::string_view key, Json value);
  std::string suggestion(std::string_view key) const;

  Json config_ = Json::Object();
  Json resolved_ = Json::Object();
  std::vector<std::string> known_;
  std::vector<Complaint> complaints_;
};

// "sub/dir": relative, and no part of it is "..".
bool stays_inside(std::string_view path);

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/config.ipp>
#endif
