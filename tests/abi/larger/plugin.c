/* A plugin of the future: every struct has members that this weir does not know, and one kind has a type that
 * it does not know. A weir_view and a weir_table are parts of others and cannot grow. */
#include "../kinds.h"

#define MORE     \
  uint64_t more; \
  void (*later)(void);

static void never(void) { *(volatile int*)0 = 1; }

static const struct {
  weir_element_v1 v1;
  MORE
} element = {{HEAD(element, "{}"), NOTHING, resolve_nothing, element_plan}, UINT64_MAX, never};

static const struct {
  weir_source_v1 v1;
  MORE
} source = {{HEAD(source, "{\"path\":\"src\"}"), NOTHING, resolve_path, source_describe, NULL, NULL, NULL,
             NULL, NULL},
            UINT64_MAX,
            never};

static const struct {
  weir_queue_v1 v1;
  MORE
} queue = {
    {HEAD(queue, "{}"), NOTHING, NOTHING, NULL, NULL, queue_classify, queue_plan, NULL}, UINT64_MAX, never};

typedef struct {
  weir_offer v1;
  MORE
} larger_offer;
static const larger_offer offers[] = {{{VIEW("weir.element/2"), "a table of another kind"}, 1, never},
                                      {{VIEW(WEIR_ELEMENT), &element}, 2, never},
                                      {{VIEW(WEIR_SOURCE), &source}, 3, never},
                                      {{VIEW(WEIR_QUEUE), &queue}, 4, never}};

static const struct {
  weir_plugin v1;
  MORE
} plugin = {
    {sizeof plugin, WEIR_ABI_MAJOR, 7, VIEW("abi"), VIEW("7.0"), 4, sizeof(larger_offer), &offers[0].v1},
    UINT64_MAX,
    never};

/* weir_host as it will be: what this weir does not have yet must not be touched. */
typedef struct {
  weir_host v1;
  MORE
} larger_host;

const weir_plugin* weir_plugin_entry_v1(const weir_host* host) {
  if (WEIR_HAS(host, larger_host, later)) ((const larger_host*)host)->later();
  return &plugin.v1;
}
