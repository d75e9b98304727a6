/* Everything of the border in reach of exported functions: what abidiff compares. */
#include <weir/plugin.h>

#define REACH(type)                          \
  WEIR_EXPORT int reach_##type(const type*); \
  int reach_##type(const type* all) { return all != NULL; }

REACH(weir_view)
REACH(weir_reply)
REACH(weir_table)
REACH(weir_element_v1)
REACH(weir_source_v1)
REACH(weir_queue_v1)
REACH(weir_blob)
REACH(weir_remote_request)
REACH(weir_remote_end)
REACH(weir_remote_sink)
REACH(weir_remote_v1)
REACH(weir_stop_sink)
REACH(weir_allocator_v1)
REACH(weir_job_sink)
REACH(weir_placer_v1)
REACH(weir_offer)
REACH(weir_plugin)
REACH(weir_host)

const weir_plugin* weir_plugin_entry_v1(const weir_host* host) {
  (void)host;
  return NULL;
}
