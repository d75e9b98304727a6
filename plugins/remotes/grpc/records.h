// Records are what REAPI calls action results, found by the digest of an action: the key of weir.
#pragma once

#include <functional>

#include "plugins/remotes/grpc/job.h"
#include "plugins/remotes/grpc/session.h"

namespace weir::reapi {

CallNumber ask_for_record(Session& session, const sdk::BlobName& key,
                          std::function<void(const Status&, const std::string& record)> done);
void get_record(Session& session, const JobPtr& job);
void put_record(Session& session, const JobPtr& job);

}  // namespace weir::reapi
