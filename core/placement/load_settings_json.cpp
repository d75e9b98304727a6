#include "core/placement/load_settings_json.h"

#include <fmt/format.h>

#include <array>

#include "core/base/json_writer.h"
#include "core/base/text.h"
#include "core/placement/json_input.h"
#include "core/placement/load_allocator.h"

namespace weir {

namespace {

constexpr std::size_t kLongestPlainNumber = 20;
// Deadlines stay far from the end of the clock.
constexpr Duration kLongestDuration = std::chrono::hours(24 * 365 * 30);

template <class Read, class Use>
Status read_and_use(std::string_view json, Read read, Use use) {
  auto value = read_input(json, read);
  if (!value) return tl::unexpected(value.error());
  return use(std::move(*value));
}

std::vector<LoadClass> read_loads(const JsonInput& input) {
  std::vector<LoadClass> out;
  for (const auto& [name, load] : input.members()) out.push_back({name, load.decimal()});
  return out;
}

std::vector<RequestorRule> read_requestors(const JsonInput& input) {
  std::vector<RequestorRule> out;
  for (const auto& rule : input.items()) out.push_back({rule["class"].text(), rule["requestor"].text()});
  return out;
}

struct Setting {
  std::string_view name;
  Status (*set)(LoadAllocator& allocator, std::string_view json);
  std::string_view remedy;
};

constexpr std::array kSettings = {
    Setting{"loads",
            [](LoadAllocator& allocator, std::string_view json) {
              return read_and_use(json, read_loads, [&](auto loads) { return allocator.set_loads(loads); });
            },
            "give an object such as {\"ci\": 70} of classes that exist; a load is 0 or more"},
    Setting{"requestors",
            [](LoadAllocator& allocator, std::string_view json) {
              return read_and_use(json, read_requestors,
                                  [&](auto rules) { return allocator.set_requestors(std::move(rules)); });
            },
            "give a list such as [{\"class\": \"ci\", \"requestor\": \"ci-.*\"}]"},
    Setting{"rebalance-threshold",
            [](LoadAllocator& allocator, std::string_view json) {
              return read_and_use(
                  json, [](const JsonInput& input) { return input.decimal(); },
                  [&](const Decimal& percent) { return allocator.set_threshold(percent); });
            },
            "give a percentage of the workers, 0 or more"},
    Setting{"rebalance-after",
            [](LoadAllocator& allocator, std::string_view json) {
              return read_and_use(json, read_duration,
                                  [&](Duration after) { return allocator.set_min_duration(after); });
            },
            "give seconds as a number, or a text such as \"60s\""},
};

Status no_such_setting(std::string_view name) {
  std::array<std::string_view, kSettings.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kSettings[i].name;
  const auto near = did_you_mean(name, names);
  return fail(Reason::usage, fmt::format("there is no setting \"{}\"", name),
              near ? fmt::format("did you mean \"{}\"?", *near)
                   : fmt::format("it is one of {}", fmt::join(names, ", ")));
}

}  // namespace

std::string json_number(const Decimal& number) {
  if (number.is_zero()) return "0";
  const auto& digits = number.digits();
  const auto shift = static_cast<std::size_t>(std::abs(number.exponent()));
  const std::string sign = number.is_negative() ? "-" : "";
  if (std::max(digits.size(), shift) + (number.exponent() > 0 ? digits.size() : 0) > kLongestPlainNumber)
    return number.text();
  if (number.exponent() >= 0) return sign + digits + std::string(shift, '0');
  if (digits.size() <= shift) return sign + "0." + std::string(shift - digits.size(), '0') + digits;
  return sign + digits.substr(0, digits.size() - shift) + "." + digits.substr(digits.size() - shift);
}

Decimal in_seconds(Duration duration) { return *Decimal::parse(fmt::format("{}e-9", duration.count())); }

Duration read_duration(const JsonInput& input) {
  if (input.is_text()) {
    const auto duration = parse_duration(input.text());
    if (!duration) input.complain("must be a duration such as \"60s\" or \"2m\"");
    return duration.value_or(Duration::zero());
  }
  const auto seconds = input.decimal();
  if (seconds.is_zero()) return Duration::zero();
  const auto nanoseconds = Decimal::parse(fmt::format("{}e{}", seconds.digits(), seconds.exponent() + 9));
  const auto whole = nanoseconds ? nanoseconds->whole() : std::nullopt;
  if (!whole || *whole > kLongestDuration.count()) {
    input.complain("must be whole nanoseconds and at most 30 years");
    return Duration::zero();
  }
  return Duration(*whole);
}

std::string load_settings_json(const LoadAllocator& allocator) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("loads").begin_object();
  for (const auto& one : allocator.loads()) json.key(one.name).raw(json_number(one.load));
  json.end_object().key("requestors").begin_array();
  for (const auto& rule : allocator.requestors())
    json.begin_object()
        .key("class")
        .value(rule.class_name)
        .key("requestor")
        .value(rule.expression)
        .end_object();
  json.end_array().key("rebalance-threshold").raw(json_number(allocator.threshold()));
  json.key("rebalance-after").raw(json_number(in_seconds(allocator.min_duration()))).end_object();
  return out;
}

Status set_load_setting(LoadAllocator& allocator, std::string_view name, std::string_view json) {
  for (const auto& setting : kSettings) {
    if (setting.name != name) continue;
    auto done = setting.set(allocator, json);
    if (!done) {
      done.error().message = fmt::format("\"{}\" stays as it is: {}", name, done.error().message);
      if (done.error().remedy.empty()) done.error().remedy = setting.remedy;
    }
    return done;
  }
  return no_such_setting(name);
}

}  // namespace weir
