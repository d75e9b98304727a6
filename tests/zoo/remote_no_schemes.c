/* A remote that no URL leads to. */
#include "remote.h"

REMOTE_OF(sizeof(weir_remote_v1), "[]", good_open, good_close, good_submit, good_cancel)
