#include "animal.h"

PLANS("{\"steps\":[{\"write\":\"install/../../etc/x\",\"content\":\"\"}]}")
