// Code of weir/remote.hpp, which includes it or is included before it.
#pragma once

#include <algorithm>
#include <exception>

namespace weir::sdk::sdk_detail {

WEIR_SDK_CODE RemoteSettings remote_settings(weir_view document) {
  const auto all = document_of(document);
  RemoteSettings settings{all.text("url"), all.text("token"), all.text("ca")};
  if (const auto timeout = all.integer("connect-timeout-ms"); timeout > 0)
    settings.connect_timeout_ms = static_cast<std::uint64_t>(timeout);
  return settings;
}

WEIR_SDK_CODE Operation copy_of(const weir_remote_request& request) {
  Operation operation{static_cast<Action>(request.action), request.operation, {}, request.fd, request.length};
  operation.blobs.reserve(request.blob_count);
  for (std::uint64_t i = 0; i < request.blob_count; ++i)
    operation.blobs.push_back(
        {std::string(request.blobs[i].hash, sizeof request.blobs[i].hash), request.blobs[i].size});
  if (WEIR_HAS(&request, weir_remote_request, checksum) && request.checksum)
    std::copy_n(request.checksum, operation.checksum.emplace().size(), operation.checksum->begin());
  return operation;
}

WEIR_SDK_CODE void end_with_exception(const RemoteSink& sink, std::uint64_t operation) noexcept {
  try {
    throw;
  } catch (const std::exception& error) {
    sink.ended(operation, Ended::trouble(error.what()));
  } catch (...) {
    sink.ended(operation, Ended::trouble("an exception of a type that is not known"));
  }
}

}  // namespace weir::sdk::sdk_detail
