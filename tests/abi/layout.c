/* Compares the frozen header with today's: members stay where they were, structs only grow, numbers and names stay. Compiles
 * only if that is so, but for texts, which it compares when it is run. C11, for _Static_assert. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frozen_names.h"
#include "v1.0/weir/plugin.h"

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
static const char frozen_placement_type[] = WEIR_PLACEMENT;
static const char frozen_queue_type[] = WEIR_QUEUE;
static const char frozen_remote_type[] = WEIR_REMOTE;
static const char frozen_source_type[] = WEIR_SOURCE;

#include "todays_names.h"
#include <weir/plugin.h>

#define SAME_NUMBER(frozen, today) _Static_assert((frozen) == (int)(today), #today " was changed")
#define SAME_PLACE(type, member)                                                                                             \
  _Static_assert(offsetof(frozen_##type, member) == offsetof(weir_##type, member) &&                                         \
                     sizeof(((frozen_##type *)0)->member) == sizeof(((weir_##type *)0)->member),                             \
                 "weir_" #type "." #member " was moved or has another size")
#define ONLY_GROWS(type) _Static_assert(sizeof(frozen_##type) <= sizeof(weir_##type), "weir_" #type " became smaller")
/* Part of other structs by value: whatever follows it would move. */
#define NEVER_GROWS(type) _Static_assert(sizeof(frozen_##type) == sizeof(weir_##type), "weir_" #type " has another size")

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
_Static_assert(WEIR_NO_JOB == UINT64_MAX, "WEIR_NO_JOB was changed");
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

ONLY_GROWS(remote_sink);
SAME_PLACE(remote_sink, size);
SAME_PLACE(remote_sink, reserved);
SAME_PLACE(remote_sink, host);
SAME_PLACE(remote_sink, ended);
SAME_PLACE(remote_sink, moved);

ONLY_GROWS(remote_v0);
SAME_PLACE(remote_v0, head);
SAME_PLACE(remote_v0, schemes);
SAME_PLACE(remote_v0, open);
SAME_PLACE(remote_v0, close);
SAME_PLACE(remote_v0, submit);
SAME_PLACE(remote_v0, cancel);

ONLY_GROWS(placement_v0);
SAME_PLACE(placement_v0, head);
SAME_PLACE(placement_v0, open);
SAME_PLACE(placement_v0, close);
SAME_PLACE(placement_v0, set_worker);
SAME_PLACE(placement_v0, add_job);
SAME_PLACE(placement_v0, remove_job);
SAME_PLACE(placement_v0, set_artifact);
SAME_PLACE(placement_v0, pick);

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

static int differs(const char *frozen, const char *today) {
  if (strcmp(frozen, today) == 0) return 0;
  printf("the type %s is called %s now\n", frozen, today);
  return 1;
}

int main(void) {
  return differs(frozen_element_type, WEIR_ELEMENT) |
         differs(frozen_placement_type, WEIR_PLACEMENT) |
         differs(frozen_queue_type, WEIR_QUEUE) |
         differs(frozen_remote_type, WEIR_REMOTE) |
         differs(frozen_source_type, WEIR_SOURCE);
}
