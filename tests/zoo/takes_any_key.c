#include "animal.h"

RESOLVES(return answer(reply, "{}"))
