#include "animal.h"

PLANS("{\"steps\":[{\"delete\":\"build\"}]}")
