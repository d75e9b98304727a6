#include "core/placement/open_documents.h"

#include <fmt/format.h>

#include <limits>

#include "core/placement/json_input.h"
#include "core/placement/load_settings_json.h"

namespace weir {

namespace {

struct LoadDocument {
  LoadSettings settings;
  std::vector<std::string> expressions;  // of each class; may be empty
};

Loans read_loans(const JsonInput& input) {
  constexpr std::string_view kWords[] = {"plain", "accounted"};
  return input.is_present() ? static_cast<Loans>(input.one_of(kWords)) : Loans::plain;
}

void read_class(const JsonInput& input, LoadDocument& out) {
  const auto load = input["load"], requestor = input["requestor"];
  const auto name = input["name"].text();
  for (const auto& other : out.settings.classes)
    if (other.name == name) input["name"].complain(fmt::format("is the second \"{}\"", name));
  out.settings.classes.push_back({name, load.is_present() ? load.decimal() : Decimal(0)});
  out.expressions.push_back(requestor.is_present() ? requestor.text() : std::string());
  if (out.expressions.back().empty()) return;
  if (const auto compiled = RequestorMap::make({{name, out.expressions.back()}}); !compiled)
    requestor.complain(compiled.error().message);
}

LoadDocument read_load_document(const JsonInput& input) {
  LoadDocument out;
  out.settings.loans = read_loans(input["loans"]);
  if (const auto threshold = input["rebalance-threshold"]; threshold.is_present())
    out.settings.threshold = threshold.decimal();
  if (const auto after = input["rebalance-after"]; after.is_present())
    out.settings.min_duration = read_duration(after);
  if (const auto classes = input["classes"]; classes.is_present())
    for (const auto& one : classes.items()) read_class(one, out);
  if (out.settings.classes.empty()) {
    out.settings.classes = {{"default", Decimal(1)}};
    out.expressions = {{}};
  }
  return out;
}

std::vector<RequestorRule> rules_of(const LoadDocument& document) {
  std::vector<RequestorRule> rules;
  for (std::size_t i = 0; i < document.expressions.size(); ++i)
    if (!document.expressions[i].empty())
      rules.push_back({document.settings.classes[i].name, document.expressions[i]});
  return rules;
}

Duration read_timeout(const JsonInput& input, Duration otherwise) {
  return input.is_present() ? read_duration(input) : otherwise;
}

CachePlacerSettings read_placer_document(const JsonInput& input) {
  constexpr std::string_view kPicks[] = {"cache-first", "random"};
  CachePlacerSettings out;
  out.cache_timeout = read_timeout(input["cache-timeout"], out.cache_timeout);
  out.deps_timeout = read_timeout(input["deps-timeout"], out.deps_timeout);
  if (const auto pick = input["pick"]; pick.is_present())
    out.pick = static_cast<PickRule>(pick.one_of(kPicks));
  if (const auto skip = input["skip-empty-stages"]; skip.is_present()) out.skip_empty_stages = skip.boolean();
  if (const auto seed = input["seed"]; seed.is_present())
    out.seed = static_cast<std::uint64_t>(seed.whole(0, std::numeric_limits<std::int64_t>::max()));
  return out;
}

}  // namespace

Result<std::unique_ptr<LoadAllocator>> open_load_allocator(std::string_view document) {
  auto read = read_input(document, read_load_document);
  if (!read) return tl::unexpected(read.error());
  auto rules = rules_of(*read);
  auto made = LoadAllocator::make(std::move(read->settings));
  if (!made || rules.empty()) return made;
  if (auto set = (*made)->set_requestors(std::move(rules)); !set) return tl::unexpected(set.error());
  return made;
}

Result<CachePlacerSettings> read_cache_placer(std::string_view document) {
  return read_input(document, read_placer_document);
}

}  // namespace weir
