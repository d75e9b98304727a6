/* A remote of revision 1. */
#include "remote.h"

REMOTE(good_open, good_close, good_submit, good_cancel)
