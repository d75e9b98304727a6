/* A remote that cannot be closed. */
#include "animal.h"

static weir_status open_it(weir_view document, const weir_remote_sink *sink, weir_remote **remote, const weir_reply *reply) {
  (void)document, (void)sink, (void)reply;
  *remote = NULL;
  return WEIR_OK;
}
static void close_it(weir_remote *remote) { *(volatile int *)remote = 1; }
static weir_status submit(weir_remote *remote, uint64_t operation, weir_view document, int32_t fd, const weir_reply *reply) {
  (void)remote, (void)operation, (void)document, (void)fd, (void)reply;
  return WEIR_OK;
}
static void cancel(weir_remote *remote, uint64_t operation) { (void)remote, (void)operation; }

static const weir_remote_v0 table = {
    {sizeof table, 1, 0, 0, VIEW("animal"), {NULL, 0}}, VIEW("[\"zoo\"]"), open_it, close_it, submit, cancel};
static const weir_offer offers[] = {{VIEW(WEIR_REMOTE), &table}};
PLUGIN
ENTRY
