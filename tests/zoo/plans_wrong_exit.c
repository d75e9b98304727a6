#include "animal.h"

PLANS("{\"steps\":[{\"run\":[\"true\"],\"exit\":{\"0\":\"command\"}}]}")
