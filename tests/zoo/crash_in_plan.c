#include "animal.h"

static weir_status plan(weir_view document, const weir_reply* reply) {
  (void)document;
  *(volatile int*)NULL = 1;
  return answer(reply, "{}");
}

ANIMAL(good_resolve, plan)
