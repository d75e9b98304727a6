#include "plans.h"

#include <fcntl.h>
#include <unistd.h>

PLANS_WITH(int file = open("/etc/hostname", O_RDONLY); if (file >= 0) close(file))
