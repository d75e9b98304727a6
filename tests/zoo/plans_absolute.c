#include "animal.h"

PLANS("{\"steps\":[{\"copy\":\"build\",\"to\":\"/etc/x\"}]}")
