#include "animal.h"

RESOLVES(return answer(reply, "{\"later\": 1}"))
