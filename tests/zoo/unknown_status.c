#include "animal.h"

RESOLVES(answer(reply, "{}"); return 77)
