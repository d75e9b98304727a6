/* A remote that no URL is right for, and that has no example. */
#include "remote.h"

static weir_status open_it(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                           const weir_reply* reply) {
  (void)document, (void)sink, (void)remote;
  reply->complain(reply, view_of("url"), view_of("there is no such place"), view_of("go somewhere else"));
  return WEIR_REFUSED;
}
REMOTE(open_it, good_close, good_submit, good_cancel)
