/* A plugin with tables that end behind the last member that they need, as if it were older than what follows.
 */
#include "../kinds.h"

static const weir_element_v1 element = {HEAD(element, "{}"), NOTHING, resolve_nothing, element_plan};

static const struct {
  weir_table head;
  weir_view host_tools;
  weir_question* resolve;
  weir_question* describe;
} source = {HEAD(source, "{\"path\":\"src\"}"), NOTHING, resolve_path, source_describe};

static const struct {
  weir_table head;
  weir_view resources, host_tools;
  weir_question *resolve, *needs, *classify, *plan;
} queue = {HEAD(queue, "{}"), NOTHING, NOTHING, NULL, NULL, queue_classify, queue_plan};

static const weir_offer offers[] = {
    {VIEW(WEIR_ELEMENT), &element}, {VIEW(WEIR_SOURCE), &source}, {VIEW(WEIR_QUEUE), &queue}};
static const weir_plugin plugin = {sizeof plugin,      WEIR_ABI_MAJOR, 0, VIEW("abi"), VIEW("0.9"), 3,
                                   sizeof(weir_offer), offers};

const weir_plugin* weir_plugin_entry_v1(const weir_host* host) {
  (void)host;
  return &plugin;
}
