/* A remote that says that it is open, and is not there. */
#include "remote.h"

static weir_status open_it(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                           const weir_reply* reply) {
  (void)document, (void)sink, (void)remote, (void)reply;
  return WEIR_OK;
}
REMOTE(open_it, good_close, good_submit, good_cancel)
