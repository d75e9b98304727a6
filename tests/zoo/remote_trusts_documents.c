/* A remote that takes it for granted that there is a URL. */
#include "remote.h"

static weir_status open_it(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                           const weir_reply* reply) {
  const char* url = document.size < 6 ? NULL : document.data;
  return *(const volatile char*)url ? good_open(document, sink, remote, reply) : WEIR_OK;
}
REMOTE(open_it, good_close, good_submit, good_cancel)
