/* An allocator `abi` with one build in mind, and a placer `abi` with room for few jobs, with all that is
 * required of them. */
#ifndef WEIR_TESTS_ABI_PLACEMENT_H
#define WEIR_TESTS_ABI_PLACEMENT_H

#include <stdlib.h>
#include <weir/plugin.h>

#define MOST 1024

struct weir_allocator {
  uint64_t idle;
  int64_t waiting[MOST];
  uint32_t classes[MOST];
  uint32_t blocked[MOST];
};

static weir_status allocator_open(weir_view document, weir_allocator** allocator, const weir_reply* reply) {
  (void)document;
  (void)reply;
  *allocator = calloc(1, sizeof **allocator);
  return WEIR_OK;
}
static void allocator_close(weir_allocator* all) { free(all); }
static weir_status set_workers(weir_allocator* all, uint64_t workers, uint64_t idle) {
  (void)workers;
  all->idle = idle;
  return WEIR_OK;
}
static weir_status job_waiting(weir_allocator* all, uint32_t work_class, uint32_t build) {
  all->classes[build] = work_class;
  ++all->waiting[build];
  return WEIR_OK;
}
static weir_status job_withdrawn(weir_allocator* all, uint32_t work_class, uint32_t build) {
  (void)work_class;
  --all->waiting[build];
  return WEIR_OK;
}
static weir_status job_started(weir_allocator* all, uint32_t work_class, uint32_t build) {
  --all->idle;
  return job_withdrawn(all, work_class, build);
}
static weir_status job_ended(weir_allocator* all, uint32_t work_class, uint32_t build) {
  (void)work_class;
  (void)build;
  ++all->idle;
  return WEIR_OK;
}
static weir_status job_requeued(weir_allocator* all, uint32_t work_class, uint32_t build) {
  ++all->idle;
  return job_waiting(all, work_class, build);
}
static weir_status set_blocked(weir_allocator* all, uint32_t work_class, uint32_t build, uint32_t blocked) {
  (void)work_class;
  all->blocked[build] = blocked;
  return WEIR_OK;
}
static weir_status next(weir_allocator* all, uint32_t* work_class, uint32_t* build) {
  uint32_t i;
  for (i = 0; i < MOST && all->idle > 0; ++i) {
    if (all->waiting[i] == 0 || all->blocked[i]) continue;
    *work_class = all->classes[i];
    *build = i;
    return WEIR_OK;
  }
  return WEIR_OK;
}

/* Of each job: 0 it is not known, 1 it waits, w + 2 the worker w runs it. */
struct weir_placer {
  uint32_t jobs[MOST];
  uint32_t idle[MOST];
};

static weir_status placer_open(weir_view document, weir_placer** placer, const weir_reply* reply) {
  (void)document;
  (void)reply;
  *placer = calloc(1, sizeof **placer);
  return WEIR_OK;
}
static void placer_close(weir_placer* all) { free(all); }
static weir_status add_worker(weir_placer* all, uint32_t worker) {
  all->idle[worker] = 0;
  return WEIR_OK;
}
static weir_status remove_worker(weir_placer* all, uint32_t worker, int64_t now, const weir_job_sink* lost) {
  uint32_t i;
  (void)now;
  all->idle[worker] = 0;
  for (i = 0; i < MOST; ++i) {
    if (all->jobs[i] != worker + 2) continue;
    all->jobs[i] = 1;
    lost->job(lost, i);
  }
  return WEIR_OK;
}
static weir_status schedule(weir_placer* all, uint32_t job, const uint32_t* deps, uint64_t dep_count,
                            int64_t now) {
  (void)deps;
  (void)dep_count;
  (void)now;
  all->jobs[job] = 1;
  return WEIR_OK;
}
static weir_status withdraw(weir_placer* all, uint32_t job, int64_t now) {
  (void)now;
  all->jobs[job] = 0;
  return WEIR_OK;
}
static weir_status pick(weir_placer* all, uint32_t worker, int64_t now, uint32_t* job, uint32_t* queue) {
  uint32_t i;
  (void)now;
  (void)queue;
  for (i = 0; i < MOST; ++i) {
    if (all->jobs[i] != 1) continue;
    all->jobs[i] = worker + 2;
    all->idle[worker] = 0;
    *job = i;
    return WEIR_OK;
  }
  all->idle[worker] = 1;
  return WEIR_OK;
}
static weir_status complete(weir_placer* all, uint32_t worker, uint32_t job, uint32_t ok, int64_t now) {
  (void)now;
  if (ok || all->jobs[job] == worker + 2) all->jobs[job] = 0;
  return WEIR_OK;
}
static weir_status next_woken(weir_placer* all, uint32_t* worker) {
  uint32_t i, w;
  for (i = 0; i < MOST && all->jobs[i] != 1; ++i) {
  }
  for (w = 0; i < MOST && w < MOST; ++w) {
    if (!all->idle[w]) continue;
    all->idle[w] = 0;
    *worker = w;
    return WEIR_OK;
  }
  return WEIR_OK;
}

#endif
