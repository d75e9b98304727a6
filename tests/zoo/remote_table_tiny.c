/* A remote whose table ends before `cancel`. */
#include "remote.h"

REMOTE_OF(offsetof(weir_remote_v1, cancel), "[\"animal\"]", good_open, good_close, good_submit, good_cancel)
