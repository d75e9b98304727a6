/* "install.x" only looks like something of "install". */
#include "animal.h"

PLANS("{\"steps\":[{\"write\":\"install.x\",\"content\":\"\"}]}")
