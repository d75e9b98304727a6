#include "sound.h"

const char* sound(void) { return "ping"; }
