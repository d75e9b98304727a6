#include "animal.h"

PLANS("{\"steps\":[{\"run\":[\"true\",7]}]}")
