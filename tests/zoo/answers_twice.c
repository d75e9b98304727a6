#include "animal.h"

RESOLVES(answer(reply, "{}"); return answer(reply, "{}"))
