/* A library, and no plugin. */
#include <weir/plugin.h>

WEIR_EXPORT int zoo_answer(void);
int zoo_answer(void) { return 42; }
