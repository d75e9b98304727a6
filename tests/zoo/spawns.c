#include "plans.h"

#include <sys/wait.h>
#include <unistd.h>

PLANS_WITH(pid_t child = fork(); if (child == 0) _exit(0); if (child > 0) waitpid(child, NULL, 0))
