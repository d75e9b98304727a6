// The settings of the allocator by load as people read and change them while jobs run: a JSON object with the
// members "loads", "requestors", "rebalance-threshold" and "rebalance-after". Numbers keep every digit.
#pragma once

#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/placement/decimal.h"

namespace weir {

class LoadAllocator;
class JsonInput;

std::string load_settings_json(const LoadAllocator& allocator);
Status set_load_setting(LoadAllocator& allocator, std::string_view name, std::string_view json);

// ---- its parts ----

// "70" and "0.5" as long as that is short, otherwise "1e300"; all are numbers of JSON.
std::string json_number(const Decimal& number);
Decimal in_seconds(Duration duration);
// Seconds as a number, or a text such as "60s".
Duration read_duration(const JsonInput& input);

}  // namespace weir
