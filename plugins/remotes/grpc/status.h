// What the status of a call means to weir.
#pragma once

#include <weir/remote.hpp>

#include "plugins/remotes/grpc/line.h"

namespace weir::reapi {

constexpr int kNotFound = 5;
constexpr int kUnimplemented = 12;

// "PERMISSION_DENIED"
std::string name_of_code(int code);
// Of a status that is not ok.
sdk::Ended ended_of(const Status& status, sdk::Action action);

}  // namespace weir::reapi
