#include "animal.h"

RESOLVES(weir_view wrong = {"{}", UINT64_MAX}; reply->give(reply, wrong); return WEIR_OK)
