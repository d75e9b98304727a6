/* The answer is longer than the memory that it is in, and not too long. */
#include "animal.h"

#include <sys/mman.h>

RESOLVES(char* two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         munmap(two + 4096, 4096); weir_view wrong = {two, 1 << 20}; reply->give(reply, wrong);
         return WEIR_OK)
