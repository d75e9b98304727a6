#include "animal.h"

RESOLVES(weir_view wrong = {NULL, 100}; reply->give(reply, wrong); return WEIR_OK)
