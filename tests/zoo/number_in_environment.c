#include "animal.h"

PLANS("{\"environment\":{\"A\":1},\"steps\":[]}")
