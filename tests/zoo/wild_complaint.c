#include "animal.h"

RESOLVES(weir_view wrong = {(const char*)0x10, 100}; reply->complain(reply, wrong, wrong, wrong);
         return WEIR_REFUSED)
