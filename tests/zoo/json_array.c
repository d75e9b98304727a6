#include "animal.h"

RESOLVES(return answer(reply, "[1, 2]"))
