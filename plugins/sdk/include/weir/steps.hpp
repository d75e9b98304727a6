// What weir is to run, in the order in which it is added.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/json.hpp>

namespace weir::sdk {

using Words = std::vector<std::string>;
// What an exit code means: {77, "network"}.
using Exits = std::vector<std::pair<int, std::string_view>>;

class Steps {
 public:
  // Words are handed over as they are; no shell reads them.
  Steps& run(Words words, std::string_view in = "build", const Exits& exits = {}) {
    Json::Object step{{"run", Json(words)}};
    if (in != "build") step.emplace("in", in);
    Json::Object meanings;
    for (const auto& [exit, failure] : exits) meanings.emplace(std::to_string(exit), failure);
    if (!meanings.empty()) step.emplace("exit", std::move(meanings));
    return add(std::move(step));
  }
  // A command as the user wrote it.
  Steps& shell(std::string_view command) { return run({"sh", "-e", "-c", std::string(command)}); }
  Steps& copy(std::string_view from, std::string_view to) { return add({{"copy", from}, {"to", to}}); }
  Steps& write(std::string_view to, std::string_view content, bool executable = false) {
    return add({{"write", to}, {"content", content}, {"executable", executable}});
  }
  Steps& download(std::string_view url, std::string_view to, std::string_view sha256 = {},
                  bool executable = false) {
    return add({{"download", url}, {"to", to}, {"sha256", sha256}, {"executable", executable}});
  }
  Steps& unpack(std::string_view from, std::string_view to, std::int64_t strip = 0) {
    return add({{"unpack", from}, {"to", to}, {"strip", strip}});
  }
  Steps& append(Steps others) {
    for (auto& step : others.all_) all_.push_back(std::move(step));
    return *this;
  }
  Json::Array take() && { return std::move(all_); }

 private:
  Steps& add(Json::Object step) {
    all_.emplace_back(std::move(step));
    return *this;
  }

  Json::Array all_;
};

// What an element, or a job of a queue, is: its steps, and variables beside those that every element has.
struct Plan {
  Steps steps;
  Json::Object environment = {};
};

}  // namespace weir::sdk
