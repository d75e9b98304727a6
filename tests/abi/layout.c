/* Compares a frozen header (FROZEN_HEADER, of minor FROZEN_MINOR) with today's: members stay where they were,
 * structs only grow, numbers and names stay. Compiles only if that is so, but for texts, which it compares
 * when it is run. C11, for _Static_assert. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frozen_names.h"
#include FROZEN_HEADER

enum {
  frozen_abi_major = WEIR_ABI_MAJOR,
  frozen_broken = WEIR_BROKEN,
  frozen_element_alone = WEIR_ELEMENT_ALONE,
  frozen_longest_document = WEIR_LONGEST_DOCUMENT,
  frozen_longest_name = WEIR_LONGEST_NAME,
  frozen_ok = WEIR_OK,
  frozen_queue_sources = WEIR_QUEUE_SOURCES,
  frozen_refused = WEIR_REFUSED,
  frozen_source_mirror = WEIR_SOURCE_MIRROR,
  frozen_abi_minor = WEIR_ABI_MINOR
};
static const char frozen_element_type[] = WEIR_ELEMENT;
static const char frozen_queue_type[] = WEIR_QUEUE;
static const char frozen_source_type[] = WEIR_SOURCE;
#if FROZEN_MINOR >= 1
static const char frozen_allocator_type[] = WEIR_ALLOCATOR;
static const char frozen_placer_type[] = WEIR_PLACER;
static const uint64_t frozen_none = WEIR_NONE;
static const int64_t frozen_never = WEIR_NEVER;
enum {
  frozen_pick_result = WEIR_PICK_RESULT,
  frozen_pick_dependency = WEIR_PICK_DEPENDENCY,
  frozen_pick_global = WEIR_PICK_GLOBAL
};
#endif
#if FROZEN_MINOR >= 2
static const char frozen_remote_type[] = WEIR_REMOTE;
enum {
  frozen_remote_has = WEIR_REMOTE_HAS,
  frozen_remote_get = WEIR_REMOTE_GET,
  frozen_remote_put = WEIR_REMOTE_PUT,
  frozen_remote_has_record = WEIR_REMOTE_HAS_RECORD,
  frozen_remote_get_record = WEIR_REMOTE_GET_RECORD,
  frozen_remote_put_record = WEIR_REMOTE_PUT_RECORD,
  frozen_remote_done = WEIR_REMOTE_DONE,
  frozen_remote_missing = WEIR_REMOTE_MISSING,
  frozen_remote_trouble = WEIR_REMOTE_TROUBLE,
  frozen_remote_refused = WEIR_REMOTE_REFUSED,
  frozen_remote_cancelled = WEIR_REMOTE_CANCELLED
};
#endif
#if FROZEN_MINOR >= 3
enum { frozen_remote_mismatch = WEIR_REMOTE_MISMATCH, frozen_remote_verifies = WEIR_REMOTE_VERIFIES };
#endif

/* The second include sees the names that the first one defined. */
#include "todays_names.h"

#include <weir/plugin.h>

#define SAME_NUMBER(frozen, today) _Static_assert((frozen) == (int)(today), #today " was changed")
#define SAME_PLACE(type, member)                                                               \
  _Static_assert(offsetof(frozen_##type, member) == offsetof(weir_##type, member) &&           \
                     sizeof(((frozen_##type*)0)->member) == sizeof(((weir_##type*)0)->member), \
                 "weir_" #type "." #member " was moved or has another size")
#define ONLY_GROWS(type) \
  _Static_assert(sizeof(frozen_##type) <= sizeof(weir_##type), "weir_" #type " became smaller")
/* Part of other structs by value: whatever follows it would move. */
#define NEVER_GROWS(type) \
  _Static_assert(sizeof(frozen_##type) == sizeof(weir_##type), "weir_" #type " has another size")

SAME_NUMBER(frozen_abi_major, WEIR_ABI_MAJOR);
SAME_NUMBER(frozen_broken, WEIR_BROKEN);
SAME_NUMBER(frozen_element_alone, WEIR_ELEMENT_ALONE);
SAME_NUMBER(frozen_longest_document, WEIR_LONGEST_DOCUMENT);
SAME_NUMBER(frozen_longest_name, WEIR_LONGEST_NAME);
SAME_NUMBER(frozen_ok, WEIR_OK);
SAME_NUMBER(frozen_queue_sources, WEIR_QUEUE_SOURCES);
SAME_NUMBER(frozen_refused, WEIR_REFUSED);
SAME_NUMBER(frozen_source_mirror, WEIR_SOURCE_MIRROR);
_Static_assert(frozen_abi_minor <= WEIR_ABI_MINOR, "the minor number went back");
_Static_assert(frozen_abi_minor == FROZEN_MINOR, "this is not the header of that minor");
#if FROZEN_MINOR >= 1
SAME_NUMBER(frozen_pick_result, WEIR_PICK_RESULT);
SAME_NUMBER(frozen_pick_dependency, WEIR_PICK_DEPENDENCY);
SAME_NUMBER(frozen_pick_global, WEIR_PICK_GLOBAL);
#endif
#if FROZEN_MINOR >= 2
SAME_NUMBER(frozen_remote_has, WEIR_REMOTE_HAS);
SAME_NUMBER(frozen_remote_get, WEIR_REMOTE_GET);
SAME_NUMBER(frozen_remote_put, WEIR_REMOTE_PUT);
SAME_NUMBER(frozen_remote_has_record, WEIR_REMOTE_HAS_RECORD);
SAME_NUMBER(frozen_remote_get_record, WEIR_REMOTE_GET_RECORD);
SAME_NUMBER(frozen_remote_put_record, WEIR_REMOTE_PUT_RECORD);
SAME_NUMBER(frozen_remote_done, WEIR_REMOTE_DONE);
SAME_NUMBER(frozen_remote_missing, WEIR_REMOTE_MISSING);
SAME_NUMBER(frozen_remote_trouble, WEIR_REMOTE_TROUBLE);
SAME_NUMBER(frozen_remote_refused, WEIR_REMOTE_REFUSED);
SAME_NUMBER(frozen_remote_cancelled, WEIR_REMOTE_CANCELLED);
#endif
#if FROZEN_MINOR >= 3
SAME_NUMBER(frozen_remote_mismatch, WEIR_REMOTE_MISMATCH);
SAME_NUMBER(frozen_remote_verifies, WEIR_REMOTE_VERIFIES);
#endif
_Static_assert(sizeof(frozen_status) == sizeof(weir_status), "weir_status has another size");

NEVER_GROWS(view);
SAME_PLACE(view, data);
SAME_PLACE(view, size);

ONLY_GROWS(reply);
SAME_PLACE(reply, size);
SAME_PLACE(reply, reserved);
SAME_PLACE(reply, host);
SAME_PLACE(reply, give);
SAME_PLACE(reply, complain);

NEVER_GROWS(table);
SAME_PLACE(table, size);
SAME_PLACE(table, version);
SAME_PLACE(table, flags);
SAME_PLACE(table, reserved);
SAME_PLACE(table, kind);
SAME_PLACE(table, example);

ONLY_GROWS(element_v1);
SAME_PLACE(element_v1, head);
SAME_PLACE(element_v1, host_tools);
SAME_PLACE(element_v1, resolve);
SAME_PLACE(element_v1, plan);

ONLY_GROWS(source_v1);
SAME_PLACE(source_v1, head);
SAME_PLACE(source_v1, host_tools);
SAME_PLACE(source_v1, resolve);
SAME_PLACE(source_v1, describe);
SAME_PLACE(source_v1, check_ref);
SAME_PLACE(source_v1, plan_track);
SAME_PLACE(source_v1, parse_track);
SAME_PLACE(source_v1, plan_fetch);
SAME_PLACE(source_v1, plan_stage);

ONLY_GROWS(queue_v1);
SAME_PLACE(queue_v1, head);
SAME_PLACE(queue_v1, resources);
SAME_PLACE(queue_v1, host_tools);
SAME_PLACE(queue_v1, resolve);
SAME_PLACE(queue_v1, needs);
SAME_PLACE(queue_v1, classify);
SAME_PLACE(queue_v1, plan);
SAME_PLACE(queue_v1, on_result);

/* Of 1.0 and 1.1 it had revision 0, which promised nothing. */
#if FROZEN_MINOR >= 2
NEVER_GROWS(blob);
SAME_PLACE(blob, hash);
SAME_PLACE(blob, size);

ONLY_GROWS(remote_request);
SAME_PLACE(remote_request, size);
SAME_PLACE(remote_request, action);
SAME_PLACE(remote_request, operation);
SAME_PLACE(remote_request, blobs);
SAME_PLACE(remote_request, blob_count);
SAME_PLACE(remote_request, fd);
SAME_PLACE(remote_request, reserved);
SAME_PLACE(remote_request, length);
#if FROZEN_MINOR >= 3
SAME_PLACE(remote_request, checksum);
#endif

ONLY_GROWS(remote_end);
SAME_PLACE(remote_end, size);
SAME_PLACE(remote_end, outcome);
SAME_PLACE(remote_end, message);
SAME_PLACE(remote_end, there);
SAME_PLACE(remote_end, retry_after_ms);

ONLY_GROWS(remote_sink);
SAME_PLACE(remote_sink, size);
SAME_PLACE(remote_sink, reserved);
SAME_PLACE(remote_sink, host);
SAME_PLACE(remote_sink, ended);
SAME_PLACE(remote_sink, moved);

ONLY_GROWS(remote_v1);
SAME_PLACE(remote_v1, head);
SAME_PLACE(remote_v1, schemes);
SAME_PLACE(remote_v1, at_once);
SAME_PLACE(remote_v1, reserved);
SAME_PLACE(remote_v1, open);
SAME_PLACE(remote_v1, close);
SAME_PLACE(remote_v1, submit);
SAME_PLACE(remote_v1, cancel);

#endif

#if FROZEN_MINOR >= 1
ONLY_GROWS(stop_sink);
SAME_PLACE(stop_sink, size);
SAME_PLACE(stop_sink, reserved);
SAME_PLACE(stop_sink, host);
SAME_PLACE(stop_sink, stop);

ONLY_GROWS(allocator_v1);
SAME_PLACE(allocator_v1, head);
SAME_PLACE(allocator_v1, open);
SAME_PLACE(allocator_v1, close);
SAME_PLACE(allocator_v1, set_workers);
SAME_PLACE(allocator_v1, job_waiting);
SAME_PLACE(allocator_v1, job_withdrawn);
SAME_PLACE(allocator_v1, job_started);
SAME_PLACE(allocator_v1, job_ended);
SAME_PLACE(allocator_v1, job_requeued);
SAME_PLACE(allocator_v1, set_blocked);
SAME_PLACE(allocator_v1, next);
SAME_PLACE(allocator_v1, to_stop);
SAME_PLACE(allocator_v1, next_check);
SAME_PLACE(allocator_v1, classes);
SAME_PLACE(allocator_v1, class_of);
SAME_PLACE(allocator_v1, settings);
SAME_PLACE(allocator_v1, set);
SAME_PLACE(allocator_v1, trouble);

ONLY_GROWS(job_sink);
SAME_PLACE(job_sink, size);
SAME_PLACE(job_sink, reserved);
SAME_PLACE(job_sink, host);
SAME_PLACE(job_sink, job);

ONLY_GROWS(placer_v1);
SAME_PLACE(placer_v1, head);
SAME_PLACE(placer_v1, open);
SAME_PLACE(placer_v1, close);
SAME_PLACE(placer_v1, advance);
SAME_PLACE(placer_v1, next_timer);
SAME_PLACE(placer_v1, add_worker);
SAME_PLACE(placer_v1, remove_worker);
SAME_PLACE(placer_v1, add_artifact);
SAME_PLACE(placer_v1, remove_artifact);
SAME_PLACE(placer_v1, holds);
SAME_PLACE(placer_v1, locate);
SAME_PLACE(placer_v1, schedule);
SAME_PLACE(placer_v1, withdraw);
SAME_PLACE(placer_v1, pick);
SAME_PLACE(placer_v1, complete);
SAME_PLACE(placer_v1, next_woken);
SAME_PLACE(placer_v1, trouble);

#endif

ONLY_GROWS(offer);
SAME_PLACE(offer, type);
SAME_PLACE(offer, table);

ONLY_GROWS(plugin);
SAME_PLACE(plugin, size);
SAME_PLACE(plugin, abi_major);
SAME_PLACE(plugin, abi_minor);
SAME_PLACE(plugin, name);
SAME_PLACE(plugin, version);
SAME_PLACE(plugin, offer_count);
SAME_PLACE(plugin, offer_size);
SAME_PLACE(plugin, offers);

ONLY_GROWS(host);
SAME_PLACE(host, size);
SAME_PLACE(host, abi_major);
SAME_PLACE(host, abi_minor);
SAME_PLACE(host, version);
SAME_PLACE(host, log);

static int differs(const char* frozen, const char* today) {
  if (strcmp(frozen, today) == 0) return 0;
  printf("the type %s is called %s now\n", frozen, today);
  return 1;
}

int main(void) {
  return differs(frozen_element_type, WEIR_ELEMENT) |
#if FROZEN_MINOR >= 1
         differs(frozen_allocator_type, WEIR_ALLOCATOR) | differs(frozen_placer_type, WEIR_PLACER) |
         (frozen_none != WEIR_NONE) | (frozen_never != WEIR_NEVER) |
#endif
#if FROZEN_MINOR >= 2
         differs(frozen_remote_type, WEIR_REMOTE) |
#endif
         differs(frozen_queue_type, WEIR_QUEUE) | differs(frozen_source_type, WEIR_SOURCE);
}
