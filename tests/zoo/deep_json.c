/* Deep enough to take the stack of a reader that does not count. */
#include "animal.h"

#include <stdlib.h>

RESOLVES(const size_t deep = 5000000; char* text = malloc(deep); memset(text, '[', deep);
         memcpy(text, "{\"a\":", 5); weir_view wrong = {text, deep}; reply->give(reply, wrong); free(text);
         return WEIR_OK)
