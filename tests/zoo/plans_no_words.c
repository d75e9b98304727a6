#include "animal.h"

PLANS("{\"steps\":[{\"run\":[]}]}")
