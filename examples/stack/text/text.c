#include "text.h"

const char* text(void) { return PACKAGE_STRING; }
