// Which blobs and records a server has.
#pragma once

#include "plugins/remotes/grpc/job.h"
#include "plugins/remotes/grpc/session.h"

namespace weir::reapi {

void ask_for_blobs(Session& session, const JobPtr& job);
void ask_for_records(Session& session, const JobPtr& job);

}  // namespace weir::reapi
