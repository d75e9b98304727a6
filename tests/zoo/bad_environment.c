#include "animal.h"

PLANS("{\"environment\":{\"A=B\":\"c\"},\"steps\":[]}")
