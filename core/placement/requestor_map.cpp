#include "core/placement/requestor_map.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace weir {

struct RequestorMap::Compiled {
  std::vector<std::unique_ptr<re2::RE2>> expressions;
};

RequestorMap::RequestorMap() = default;
RequestorMap::~RequestorMap() = default;
RequestorMap::RequestorMap(RequestorMap&&) noexcept = default;
RequestorMap& RequestorMap::operator=(RequestorMap&&) noexcept = default;

Result<RequestorMap> RequestorMap::make(std::vector<RequestorRule> rules) {
  if (rules.empty())
    return fail(Reason::usage, "the map of requestors is empty", "name at least one class and expression");
  RequestorMap out;
  out.compiled_ = std::make_unique<Compiled>();
  re2::RE2::Options options;
  options.set_log_errors(false);
  for (const auto& rule : rules) {
    auto compiled = std::make_unique<re2::RE2>(rule.expression, options);
    if (!compiled->ok())
      return fail(Reason::usage,
                  fmt::format("the expression \"{}\" of class \"{}\" is broken: {}", rule.expression,
                              rule.class_name, compiled->error()),
                  "see the syntax of RE2");
    out.compiled_->expressions.push_back(std::move(compiled));
  }
  out.rules_ = std::move(rules);
  return out;
}

std::optional<std::size_t> RequestorMap::match(std::string_view requestor) const {
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (re2::RE2::FullMatch({requestor.data(), requestor.size()}, *compiled_->expressions[i])) return i;
  return std::nullopt;
}

}  // namespace weir
