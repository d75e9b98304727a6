/* A remote `abi` that has nothing and takes nothing: every operation has ended when it was started. */
#ifndef WEIR_TESTS_ABI_REMOTE_H
#define WEIR_TESTS_ABI_REMOTE_H

#include <stdlib.h>

#include "kinds.h"

struct weir_remote {
  const weir_remote_sink* sink;
};

static weir_status remote_open(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                               const weir_reply* reply) {
  const weir_view none = NOTHING, message = VIEW("there is no memory");
  (void)document;
  *remote = malloc(sizeof **remote);
  if (!*remote) {
    reply->complain(reply, none, message, none);
    return WEIR_BROKEN;
  }
  (*remote)->sink = sink;
  return WEIR_OK;
}
static void remote_close(weir_remote* remote) { free(remote); }

static void remote_end(const weir_remote* remote, uint64_t operation, uint32_t outcome, weir_view there) {
  weir_remote_end end = {sizeof end, 0, NOTHING, NOTHING, 0};
  end.outcome = outcome;
  end.there = there;
  remote->sink->ended(remote->sink, operation, &end);
}
static void remote_has_none(const weir_remote* remote, const weir_remote_request* request) {
  const weir_view unknown = NOTHING;
  weir_view there = NOTHING;
  char* zeros = malloc(request->blob_count + 1);
  if (!zeros) {
    remote_end(remote, request->operation, WEIR_REMOTE_TROUBLE, unknown);
    return;
  }
  memset(zeros, '0', request->blob_count);
  there.data = zeros;
  there.size = request->blob_count;
  remote_end(remote, request->operation, WEIR_REMOTE_DONE, there);
  free(zeros);
}
static void remote_submit(weir_remote* remote, const weir_remote_request* request) {
  const weir_view none = NOTHING;
  if (request->action == WEIR_REMOTE_HAS || request->action == WEIR_REMOTE_HAS_RECORD)
    remote_has_none(remote, request);
  else if (request->action == WEIR_REMOTE_GET || request->action == WEIR_REMOTE_GET_RECORD)
    remote_end(remote, request->operation, WEIR_REMOTE_MISSING, none);
  else remote_end(remote, request->operation, WEIR_REMOTE_REFUSED, none);
}
static void remote_cancel(weir_remote* remote, uint64_t operation) { (void)remote, (void)operation; }

#endif
