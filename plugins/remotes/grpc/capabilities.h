// What the server can do, as far as a cache needs it.
#pragma once

#include <cstdint>
#include <string>

#include <weir/remote.hpp>

#include "plugins/remotes/grpc/line.h"

namespace weir::reapi {

// Servers take messages of 4 MiB unless they were told otherwise; the limit is one of whole messages.
constexpr std::uint64_t kLongestBatch = (4 << 20) - (64 << 10);

struct Limits {
  std::uint64_t batch_bytes = kLongestBatch;
  bool takes_records = true;
};

// Of an answer to GetCapabilities. A server that does not know the call is taken for one that can do
// everything.
struct Capabilities {
  Limits limits;
  // Not done: no operation makes sense, all end like this.
  sdk::Ended verdict;
};
Capabilities capabilities_of(const Status& status, const std::string& answer);
std::string capabilities_request(const std::string& instance);

}  // namespace weir::reapi
