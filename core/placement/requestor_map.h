// Which class a requestor belongs to: an ordered list of regular expressions, the first that matches all of
// the name wins. RE2 and not std::regex: an expression of the user meets a name of somebody else, and RE2
// takes linear time on both.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace weir {

struct RequestorRule {
  std::string class_name;
  std::string expression;
  bool operator==(const RequestorRule&) const = default;
};

class RequestorMap {
 public:
  RequestorMap();  // matches nobody
  ~RequestorMap();
  RequestorMap(RequestorMap&&) noexcept;
  RequestorMap& operator=(RequestorMap&&) noexcept;

  // An empty list and an expression that does not compile are errors.
  static Result<RequestorMap> make(std::vector<RequestorRule> rules);
  // The position of the rule that matches.
  std::optional<std::size_t> match(std::string_view requestor) const;
  const std::vector<RequestorRule>& rules() const { return rules_; }

 private:
  struct Compiled;
  std::vector<RequestorRule> rules_;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace weir
