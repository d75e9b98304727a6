// What weir is to run, in the order in which it is added.
#pragma once

#include <cstdint>
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
  Steps() noexcept;
  Steps(const Steps& other);
  Steps(Steps&& other) noexcept;
  Steps& operator=(const Steps& other);
  Steps& operator=(Steps&& other) noexcept;
  ~Steps();

  // Words are handed over as they are; no shell reads them.
  Steps& run(Words words, std::string_view in = "build", const Exits& exits = {});
  // A command as the user wrote it.
  Steps& shell(std::string_view command);
  Steps& copy(std::string_view from, std::string_view to);
  Steps& write(std::string_view to, std::string_view content, bool executable = false);
  Steps& download(std::string_view url, std::string_view to, std::string_view sha256 = {},
                  bool executable = false);
  Steps& unpack(std::string_view from, std::string_view to, std::int64_t strip = 0);
  Steps& append(Steps others);
  Json::Array take() &&;

 private:
  Steps& add(Json::Object step);

  Json::Array all_;
};

// What an element, or a job of a queue, is: its steps, and variables beside those that every element has.
struct Plan {
  Steps steps;
  Json::Object environment = {};
};

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/steps.ipp>
#endif
