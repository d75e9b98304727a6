#include "core/scheduler/scheduler.h"
