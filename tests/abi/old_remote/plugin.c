/* As v1.0, and it offers a remote of revision 0, which later headers do not have: that offer is passed over.
 */
#include "../kinds.h"

static const weir_element_v1 element = {HEAD(element, "{}"), NOTHING, resolve_nothing, element_plan};
static const weir_source_v1 source = {
    HEAD(source, "{\"path\":\"src\"}"), NOTHING, resolve_path, source_describe, NULL, NULL, NULL, NULL, NULL};
static const weir_queue_v1 queue = {HEAD(queue, "{}"), NOTHING,    NOTHING, NULL, NULL,
                                    queue_classify,    queue_plan, NULL};
static const weir_remote_v0 remote = {HEAD(remote, "{}"), VIEW("[\"abi\"]"), NULL, NULL, NULL, NULL};

static const weir_offer offers[] = {{VIEW(WEIR_REMOTE), &remote},
                                    {VIEW(WEIR_ELEMENT), &element},
                                    {VIEW(WEIR_SOURCE), &source},
                                    {VIEW(WEIR_QUEUE), &queue}};
static const weir_plugin plugin = {
    sizeof plugin, WEIR_ABI_MAJOR, WEIR_ABI_MINOR, VIEW("abi"), VIEW("1.0"), 4, sizeof(weir_offer), offers};

const weir_plugin* weir_plugin_entry_v1(const weir_host* host) {
  return WEIR_HAS(host, weir_host, log) ? &plugin : NULL;
}
