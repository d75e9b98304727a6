/* A remote that cannot be closed. */
#include "animal.h"

static int somewhere;
static weir_status open_it(weir_view document, const weir_remote_sink *sink, weir_remote **remote, const weir_reply *reply) {
  (void)document, (void)sink, (void)reply;
  *remote = (weir_remote *)&somewhere;
  return WEIR_OK;
}
static void close_it(weir_remote *remote) {
  (void)remote;
  *(volatile int *)NULL = 1;
}
static void submit(weir_remote *remote, const weir_remote_request *request) { (void)remote, (void)request; }
static void cancel(weir_remote *remote, uint64_t operation) { (void)remote, (void)operation; }

static const weir_remote_v1 table = {
    {sizeof table, 1, 0, 0, VIEW("animal"), {NULL, 0}}, VIEW("[\"zoo\"]"), 1, 0, open_it, close_it, submit, cancel};
static const weir_offer offers[] = {{VIEW(WEIR_REMOTE), &table}};
PLUGIN
ENTRY
