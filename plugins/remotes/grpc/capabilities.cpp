#include "plugins/remotes/grpc/capabilities.h"

#include <weir_reapi.pb.h>

#include <algorithm>

#include "plugins/remotes/grpc/status.h"

namespace weir::reapi {

namespace {

namespace v2 = build::bazel::remote::execution::v2;

Limits limits_of(const v2::CacheCapabilities& cache) {
  Limits limits;
  limits.takes_records = cache.action_cache_update_capabilities().update_enabled();
  if (cache.max_batch_total_size_bytes() > 0)
    limits.batch_bytes =
        std::min(kLongestBatch, static_cast<std::uint64_t>(cache.max_batch_total_size_bytes()));
  return limits;
}

}  // namespace

Capabilities capabilities_of(const Status& status, const std::string& answer) {
  if (status.code == kUnimplemented) return {};
  // NOT_FOUND is about the instance here, so it is no answer to what was asked for: `has` is never told that
  // something is missing.
  if (!status.ok()) return {{}, ended_of(status, sdk::Action::has)};
  v2::ServerCapabilities server;
  if (!server.ParseFromString(answer))
    return {{}, sdk::Ended::trouble("the server's answer to GetCapabilities makes no sense")};
  if (!server.has_cache_capabilities()) return {{}, sdk::Ended::refused("the server offers no cache")};
  const auto& cache = server.cache_capabilities();
  const auto& functions = cache.digest_functions();
  if (std::find(functions.begin(), functions.end(), v2::DigestFunction::SHA256) == functions.end())
    return {{}, sdk::Ended::refused("the server does not know blobs by SHA256")};
  return {limits_of(cache), {}};
}

std::string capabilities_request(const std::string& instance) {
  v2::GetCapabilitiesRequest request;
  request.set_instance_name(instance);
  return request.SerializeAsString();
}

}  // namespace weir::reapi
