#include "animal.h"

PLANS("{\"steps\":[{\"run\":[\"true\"],\"in\":\"project/x\"}]}")
