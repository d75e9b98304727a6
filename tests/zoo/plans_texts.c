#include "animal.h"

PLANS("{\"steps\":[\"make\"]}")
