/* An animal whose plan does something first, and has what it saw in a step. */
#ifndef WEIR_ZOO_PLANS_H
#define WEIR_ZOO_PLANS_H

#include <stdio.h>

#include "animal.h"

#define PLANS_WITH(...)                                                             \
  static weir_status plan(weir_view document, const weir_reply* reply) {            \
    char text[300], word[200] = "nothing";                                          \
    (void)document;                                                                 \
    __VA_ARGS__;                                                                    \
    snprintf(text, sizeof text, "{\"steps\":[{\"run\":[\"true\",\"%s\"]}]}", word); \
    return answer(reply, text);                                                     \
  }                                                                                 \
  ANIMAL(good_resolve, plan)

#endif
