/* A plugin as ABI 1.3 has it: with a remote that verifies what it stores. */
#include "../kinds.h"
#include "../placement.h"
#include "../remote.h"

static const weir_element_v1 element = {HEAD(element, "{}"), NOTHING, resolve_nothing, element_plan};
static const weir_source_v1 source = {
    HEAD(source, "{\"path\":\"src\"}"), NOTHING, resolve_path, source_describe, NULL, NULL, NULL, NULL, NULL};
static const weir_queue_v1 queue = {HEAD(queue, "{}"), NOTHING, NOTHING, NULL, NULL, queue_classify, queue_plan, NULL};
/* What may be left out is left out. */
static const weir_allocator_v1 allocator = {HEAD(allocator, "{}"), allocator_open, allocator_close, set_workers, job_waiting,  job_withdrawn,
                                            job_started,           job_ended,      job_requeued,    set_blocked, next,         NULL,
                                            NULL,                  NULL,           NULL,            NULL,        NULL,         NULL};
static const weir_placer_v1 placer = {HEAD(placer, "{}"), placer_open, placer_close, NULL, NULL,     add_worker, remove_worker, NULL, NULL,
                                      NULL,               NULL,        schedule,     withdraw, pick, complete,   next_woken,    NULL};
static const weir_remote_v1 remote = {
    {sizeof remote, 1, WEIR_REMOTE_VERIFIES, 0, VIEW("abi"), VIEW("{\"url\":\"abi://nowhere\"}")}, VIEW("[\"abi\"]"), 1, 0, remote_open, remote_close, remote_submit, remote_cancel};

static const weir_offer offers[] = {{VIEW(WEIR_ELEMENT), &element},
                                    {VIEW(WEIR_SOURCE), &source},
                                    {VIEW(WEIR_QUEUE), &queue},
                                    {VIEW(WEIR_ALLOCATOR), &allocator},
                                    {VIEW(WEIR_PLACER), &placer},
                                    {VIEW(WEIR_REMOTE), &remote}};
static const weir_plugin plugin = {sizeof plugin, WEIR_ABI_MAJOR, WEIR_ABI_MINOR, VIEW("abi"), VIEW("1.3"), 6, sizeof(weir_offer), offers};

const weir_plugin *weir_plugin_entry_v1(const weir_host *host) { return WEIR_HAS(host, weir_host, log) ? &plugin : NULL; }
