/* A source that writes to what is not its own, though it begins alike. */
#include "animal.h"

static weir_status check_ref(weir_view ref, const weir_reply* reply) {
  (void)ref, (void)reply;
  return WEIR_OK;
}
static weir_status plan_track(weir_view document, const weir_reply* reply) {
  (void)document;
  return answer(reply, "{\"steps\":[]}");
}
static weir_status parse_track(weir_view document, weir_view content, const weir_reply* reply) {
  (void)document, (void)content;
  return answer(reply, "{\"ref\":\"1\"}");
}
static weir_status plan_fetch(weir_view document, const weir_reply* reply) {
  (void)document;
  return answer(reply, "{\"steps\":[{\"write\":\"source/01/x\",\"content\":\"\"}]}");
}

static const weir_source_v1 table = {{sizeof table, 1, 0, 0, VIEW("animal"), VIEW("{}")},
                                     {NULL, 0},
                                     good_resolve,
                                     NULL,
                                     check_ref,
                                     plan_track,
                                     parse_track,
                                     plan_fetch,
                                     NULL};
static const weir_offer offers[] = {{VIEW(WEIR_SOURCE), &table}};
PLUGIN
ENTRY
