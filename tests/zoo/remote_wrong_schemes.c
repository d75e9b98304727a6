/* A remote whose schemes are one text. */
#include "remote.h"

REMOTE_OF(sizeof(weir_remote_v1), "\"animal\"", good_open, good_close, good_submit, good_cancel)
