/* A remote `animal` that is right in everything and does nothing; an animal puts in what is wrong with it. */
#ifndef WEIR_ZOO_REMOTE_H
#define WEIR_ZOO_REMOTE_H

#include "animal.h"

struct weir_remote {
  const weir_remote_sink* sink;
};

static inline weir_status good_open(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                                    const weir_reply* reply) {
  static weir_remote only;
  (void)document, (void)reply;
  only.sink = sink;
  *remote = &only;
  return WEIR_OK;
}
static inline void good_close(weir_remote* remote) { remote->sink = NULL; }
static inline void good_submit(weir_remote* remote, const weir_remote_request* request) {
  (void)remote, (void)request;
}
static inline void good_cancel(weir_remote* remote, uint64_t operation) { (void)remote, (void)operation; }

#define REMOTE_OF(size, schemes, open, close, submit, cancel)                                          \
  static const weir_remote_v1 table = {                                                                \
      {(size), 1, 0, 0, VIEW("animal"), {NULL, 0}}, VIEW(schemes), 1, 0, open, close, submit, cancel}; \
  static const weir_offer offers[] = {{VIEW(WEIR_REMOTE), &table}};                                    \
  PLUGIN ENTRY
#define REMOTE(open, close, submit, cancel) \
  REMOTE_OF(sizeof(weir_remote_v1), "[\"animal\"]", open, close, submit, cancel)

#endif
