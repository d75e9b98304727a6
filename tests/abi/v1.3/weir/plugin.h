/* The border between weir and a plugin: plain C99, stable for ever.
 *
 * A plugin is a shared library that exports one symbol, weir_plugin_entry_v1, and returns static tables of
 * functions. weir asks, the plugin answers with data; every command is run by weir. C++ has comfort over this
 * in weir/plugin.hpp.
 *
 * Rules that hold for every function below unless it says otherwise:
 *   [any thread]   it may be called on any thread, also on several at once; those that say [loop thread] on
 *                  one, one at a time
 *   [pure]         the same question has the same answer, now and in another process: nothing is read,
 *                  written, run, sent, waited for or remembered, and neither clock nor environment is looked
 *                  at. `weir plugin check` tries it.
 *   ownership      nothing changes its owner. A view that is given to a function is good until the function
 *                  returns, and a view that is given to weir is copied before the call returns. Tables and
 *                  what they point to live as long as the process; a library is never unloaded.
 *   errors         a status; what is wrong goes to the reply. No exception, signal or longjmp leaves a
 *                  plugin, and no plugin calls exit.
 *   documents      are JSON objects in UTF-8, at most WEIR_LONGEST_DOCUMENT bytes. Those that weir gives are
 *                  canonical: keys sorted, no spaces. Those that a plugin gives may be written as it likes;
 *                  weir makes them canonical. Members that are not known have to be ignored.
 *
 * How it grows: tables and the structs below that begin with their own size are only ever appended to.
 * Whoever reads one looks at no more than that size, and what is missing counts as zero. weir_view,
 * weir_table and weir_blob stay as they are: they are part of others, or stand in rows. What needs more than
 * that becomes a type with a new revision ("weir.element/2") beside the old one. Members called `reserved`
 * are zero. */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The major number is part of the name of the entry; a plugin of another major cannot be used. The minor
 * number is raised when something is appended, and only tells people what to expect. */
#define WEIR_ABI_MAJOR 1
#define WEIR_ABI_MINOR 3

#define WEIR_LONGEST_DOCUMENT (16u << 20)
#define WEIR_LONGEST_NAME 64u

/* Text that is not terminated. `data` may be NULL only if `size` is 0. */
typedef struct weir_view {
  const char* data;
  uint64_t size;
} weir_view;

/* Whether `table`, which begins with its own size, has this member. */
#define WEIR_HAS(table, type, member) ((table)->size >= offsetof(type, member) + sizeof(((type*)0)->member))

typedef int32_t weir_status;
#define WEIR_OK 0      /* the reply has the answer */
#define WEIR_REFUSED 1 /* what the user wrote is wrong: the reply has at least one complaint */
#define WEIR_BROKEN \
  2 /* the plugin could not do it: the reply has one complaint that says why. A bug of the plugin. */

/* Where an answer goes. It is weir's, and good until the question that it came with returns. */
typedef struct weir_reply weir_reply;
struct weir_reply {
  uint32_t size;
  uint32_t reserved;
  void* host; /* weir's own */
  /* [the thread of the question] The answer of a question that ends with WEIR_OK; once. The document stays
   * the plugin's and is copied. */
  void (*give)(const weir_reply* reply, weir_view document);
  /* [the thread of the question] What is wrong; the texts stay the plugin's and are copied. `path` names the
   * value in the document that was asked about ("commands/2"), or is empty; `remedy` says what to do about
   * it, or is empty. As often as there is something to complain about. */
  void (*complain)(const weir_reply* reply, weir_view path, weir_view message, weir_view remedy);
};

/* What every table begins with. */
typedef struct weir_table {
  uint32_t size;    /* of the whole table */
  uint32_t version; /* of the kind, from 1. Part of every key: raise it when the same configuration gives
                       another result. */
  uint32_t flags;   /* of the type; others are zero */
  uint32_t reserved;
  weir_view kind;    /* what users write: a-z, 0-9 and -, at most WEIR_LONGEST_NAME bytes */
  weir_view example; /* a valid configuration as a JSON object, for `weir plugin check`; may be empty */
} weir_table;

/* A question with one document. */
typedef weir_status weir_question(weir_view document, const weir_reply* reply);

/* ---- element: what the configuration of an element means, and what is run to build it ---- */

#define WEIR_ELEMENT "weir.element/1"
/* Dependencies are not there while it is built, and no part of its key. */
#define WEIR_ELEMENT_ALONE 1u

typedef struct weir_element_v1 {
  weir_table head;
  /* Programs of the machine whose versions enter the key, as a JSON array of names; may be empty. */
  weir_view host_tools;
  /* [any thread] [pure] required. `config` of an element, or {}. Answers with what it means: defaults filled
   * in. It enters the key, but for the member "later", an object that only queues behind `build` see
   * ({"test": [command..]}). What the kind does not know is to be refused. */
  weir_question* resolve;
  /* [any thread] [pure] required.
   *   {"config": as resolve gave it, "install": where DESTDIR is, "prefix": where it will be used}
   * Answers with {"environment": {name: text}, "steps": [step..]}; `environment` may be missing. A step is
   * one of
   *   {"run": [word..], "in": path, "exit": {"78": failure}}
   *       `in` (build) and `exit` may be missing. Words are not read by a shell; "%{jobs}" in one becomes the
   *       cores that were granted.
   *   {"copy": path, "to": path}
   *   {"write": path, "content": text, "executable": bool}
   * and, of plan_track and plan_fetch of a source alone,
   *   {"download": url, "to": path, "sha256": hex, "executable": bool}
   *   {"unpack": path, "to": path, "strip": number}
   * Paths are logical: build/.. (where the sources are), install/.. (DESTDIR); for sources also source/.. and
   * cache/.. . Failures: command, source, network, infra. */
  weir_question* plan;
} weir_element_v1;

/* ---- source: where files come from ---- */

#define WEIR_SOURCE "weir.source/1"
/* Sources with one URL share files in cache/.. , so only one job with that URL runs at a time. */
#define WEIR_SOURCE_MIRROR 1u

/* A source is of the project (`describe` answers with content), or it comes from elsewhere and is pinned by a
 * ref (then check_ref, plan_track, parse_track and plan_fetch are required). */
typedef struct weir_source_v1 {
  weir_table head;
  weir_view host_tools; /* for the steps of plan_stage */
  /* [any thread] [pure] required. The keys of the source, `url` and `track` among them where they are given.
   */
  weir_question* resolve;
  /* [any thread] [pure] optional. {"config": ..} to
   *   {"content": {"path": in the project, "exclude": [glob..]}, "key": {..}}
   * `content` only if it is of the project; `key` is what beside ref or content decides on the files. */
  weir_question* describe;
  /* [any thread] [pure] The ref as bare text, not a document. WEIR_REFUSED if it cannot be one. */
  weir_question* check_ref;
  /* [any thread] [pure] {"cache", "config", "name", "url"} to {"steps": [..]}. The steps leave what is to be
   * known in the file source/<name>.track; cache/<cache> is this URL's own. Commands start in source/. The
   * network is there. */
  weir_question* plan_track;
  /* [any thread] [pure] {"config", "sha256": of the file} and its content, empty if that is longer than 16
   * MiB, to
   * {"ref": text}. */
  weir_status (*parse_track)(weir_view document, weir_view content, const weir_reply* reply);
  /* [any thread] [pure] {"cache", "config", "name", "ref", "url"} to {"steps": [..]}. The steps fill the
   * folder source/<name> with exactly what the ref names. */
  weir_question* plan_fetch;
  /* [any thread] [pure] optional. {"config", "directory": the user's, "name"} to {"place": below the build
   * directory, "steps": [..]}: where the files go, and what is run in the element's sandbox before its own
   * steps. */
  weir_question* plan_stage;
} weir_source_v1;

/* ---- queue: a stage of its own in the row ---- */

#define WEIR_QUEUE "weir.queue/1"
/* The sources are in the build directory; without it, it is empty. */
#define WEIR_QUEUE_SOURCES 1u

/* All questions but resolve get
 *   {"config": of the queue, "element": {"config", "cpu", "kind", "later", "name", "public"}}
 * A job of a queue behind `build` has the artifact and all it was built with at the prefix; before `build` it
 * has the sources alone. A job that succeeded is not run again with the same artifact, plan and version. */
typedef struct weir_queue_v1 {
  weir_table head;
  /* Tokens that the queue brings with it and how many there are, {"scanner": 2}; a project may set them in
   * [resources]. */
  weir_view resources;
  /* Programs of the machine whose versions decide on the result, as a JSON array of names. */
  weir_view host_tools;
  /* [any thread] [pure] optional: without it the queue takes no configuration. [queue.NAME] of weir.toml, or
   * {}. */
  weir_question* resolve;
  /* [loop thread] [pure] optional: without it the cores of the element. {"tokens": {"process": 1, "scanner":
   * 1}} */
  weir_question* needs;
  /* [loop thread] [pure] required. {"is": "ready" | "skip" | "never", "reason": text}. `never` fails the
   * element. */
  weir_question* classify;
  /* [loop thread] [pure] required. As of an element: {"environment": {..}, "steps": [..]}; the request has
   * also "install" and "prefix". What the job leaves in install/ is kept with the log. */
  weir_question* plan;
  /* [loop thread] [pure] optional: without it a failed job fails the element. The request has also
   * "result": {"ending": "succeeded" | "failed", "exit", "failure"}. {"means": "done" | "skip" | "fail"} */
  weir_question* on_result;
} weir_queue_v1;

/* ---- remote: where artifacts are shared ---- */

/* The one type that does something: it moves bytes between files that weir opened and a server, and keeps
 * nothing. weir starts operations and hears of their ends; it looks at every byte that came before it is
 * used, so a remote that lies or a line that flips bits does no harm. Blobs are found by their SHA-256, and
 * records (small documents that say which blobs an artifact is made of) by a key of weir's.
 *
 * A kind is found by the scheme of a URL: "ftp://.." is of the kind `ftp`, and so is "ftps://.." unless there
 * is a kind of that name. */
#define WEIR_REMOTE "weir.remote/1"

/* What to do. HAS and HAS_RECORD are asked about many at once, all others are about one. */
#define WEIR_REMOTE_HAS 0u /* which of the blobs are there */
#define WEIR_REMOTE_GET 1u /* a blob to the file */
#define WEIR_REMOTE_PUT \
  2u /* a blob from the file; what is there under its name is replaced, if that can be */
#define WEIR_REMOTE_HAS_RECORD 3u /* which of the keys have a record */
#define WEIR_REMOTE_GET_RECORD 4u /* the record of a key to the file */
#define WEIR_REMOTE_PUT_RECORD 5u /* a record from the file; an older one is replaced */

/* What became of it. */
#define WEIR_REMOTE_DONE 0    /* all of it */
#define WEIR_REMOTE_MISSING 1 /* get: it is not there */
#define WEIR_REMOTE_TROUBLE 2 /* the line or the server: may work if it is tried again */
#define WEIR_REMOTE_REFUSED \
  3 /* will not work for as long as weir runs: not allowed, a certificate that nobody trusts */
#define WEIR_REMOTE_CANCELLED 4 /* because `cancel` was called */
#define WEIR_REMOTE_MISMATCH 5  /* put: the file does not have `checksum`; the blob was not stored */

/* Flag of the table: PUT verifies `checksum`. Without it weir reads a file once more before each PUT. */
#define WEIR_REMOTE_VERIFIES 1u

/* What a blob or a record is called: 64 hexadecimal digits in lower case, and its length. Of a key the length
 * is that of the document whose hash it is. Never grows: there are rows of them. */
typedef struct weir_blob {
  char hash[64];
  uint64_t size;
} weir_blob;

/* One operation. weir's, and good until `submit` returns: what is needed longer is copied. */
typedef struct weir_remote_request {
  uint32_t size;
  uint32_t action;    /* WEIR_REMOTE_HAS .. */
  uint64_t operation; /* its number: never used twice */
  const weir_blob* blobs;
  uint64_t blob_count;
  /* A regular file that stays weir's, open until the operation has ended; -1 for HAS and HAS_RECORD. get: it
   * is empty, and is filled from its start on. put: it is read with pread; a blob has `blobs->size` bytes, a
   * record `length`. */
  int32_t fd;
  uint32_t reserved;
  /* put record: how long it is. get record: how long it may be. */
  uint64_t length;
  /* put, only with WEIR_REMOTE_VERIFIES: XXH3 of the blob with 128 bits, no seed, in canonical form (16
   * bytes, big endian), or NULL. weir has not read the file: the blob may be stored under its name only if
   * the bytes that were stored have this checksum. */
  const uint8_t* checksum;
} weir_remote_request;

/* How an operation ended. The plugin's; weir copies what it needs. */
typedef struct weir_remote_end {
  uint32_t size;
  uint32_t outcome;  /* WEIR_REMOTE_DONE .. */
  weir_view message; /* for people, in one line: what went wrong. Nothing secret. */
  weir_view there;   /* HAS, HAS_RECORD: for each that was asked for one character, '1' if it is there and '0'
                        if not */
  /* TROUBLE: when the server wants to be asked again, in milliseconds from now; 0: it did not say. */
  uint64_t retry_after_ms;
} weir_remote_end;

typedef struct weir_remote weir_remote; /* the plugin's own */

/* How a remote tells of its operations. weir's; good until `close` returns. */
typedef struct weir_remote_sink weir_remote_sink;
struct weir_remote_sink {
  uint32_t size;
  uint32_t reserved;
  void* host; /* weir's own */
  /* [any thread] The last word of an operation, exactly once, also from within `submit`. Its file is not
   * touched afterwards. weir does not call the remote from within. */
  void (*ended)(const weir_remote_sink* sink, uint64_t operation, const weir_remote_end* end);
  /* [any thread] So many bytes of a get are in the file, of a put are sent, or so many names of a question
   * are answered; only ever more. Every quarter of a megabyte or so, so that weir sees that it goes on. */
  void (*moved)(const weir_remote_sink* sink, uint64_t operation, uint64_t bytes);
};

typedef struct weir_remote_v1 {
  weir_table head;
  /* The schemes of URLs that are its own, as a JSON array: ["http","https"]. */
  weir_view schemes;
  /* How many operations at once it makes use of. weir gives it no more, but for one of each job that has
   * none. 0 counts as 1. */
  uint32_t at_once;
  uint32_t reserved;
  /* [any thread] required. {"ca": file, "connect-timeout-ms", "token", "url"}; `ca` and `token` are empty if
   * there is none. No network is used yet. What it makes is the plugin's, and kept by weir until `close`.
   * What is wrong with a value is refused with its name as the path. The token is shown to nobody but the
   * server of the URL. */
  weir_status (*open)(weir_view document, const weir_remote_sink* sink, weir_remote** remote,
                      const weir_reply* reply);
  /* [any thread] required. The last call with it: all operations have ended. */
  void (*close)(weir_remote* remote);
  /* [any thread] required. Starts an operation and returns at once: nobody waits here for a network or a
   * disk. */
  void (*submit)(weir_remote* remote, const weir_remote_request* request);
  /* [any thread] required. The operation is to end soon, if it did not already. */
  void (*cancel)(weir_remote* remote, uint64_t operation);
} weir_remote_v1;

/* ---- placement: who may start, and who does what ---- */

/* Two types: an allocator says whose job may start next, a placer which job a worker takes. Both are opened
 * once for a run, are told everything that happens, and answer from what they were told: integers that weir
 * chooses (small, so that tables can be dense over them) and times in nanoseconds that never go back. The
 * same calls have to give the same answers, and nothing else is looked at. Everything is called on the loop's
 * thread, one call at a time, and all of weir waits meanwhile.
 *
 * Functions that say "status" answer WEIR_OK, or WEIR_BROKEN: then `trouble` is asked why, and weir ends the
 * run. An answer that breaks a rule below is the same. Where an answer goes to `uint32_t *` or `int64_t *`,
 * weir has put WEIR_NONE or WEIR_NEVER there before: whoever has no answer leaves it alone. */
#define WEIR_NONE UINT32_MAX
#define WEIR_NEVER INT64_MAX

#define WEIR_ALLOCATOR "weir.allocator/1"

typedef struct weir_allocator weir_allocator; /* the plugin's own */

/* Where to_stop answers to. weir's; good until to_stop returns. */
typedef struct weir_stop_sink weir_stop_sink;
struct weir_stop_sink {
  uint32_t size;
  uint32_t reserved;
  void* host; /* weir's own */
  /* [loop thread] So many of the most recently started jobs of the class are to be stopped: no more than run.
   */
  void (*stop)(const weir_stop_sink* sink, uint32_t work_class, uint64_t jobs);
};

/* A build has one class for as long as it has jobs. */
typedef struct weir_allocator_v1 {
  weir_table head;
  /* [loop thread] required. A document of what [placement] and [[class]] say:
   *   {"allocate", "loans", "rebalance-threshold", "rebalance-after": seconds, "classes": [{"name", "load",
   *   "requestor"}]}
   * What is wrong with it is refused, with the path of the value ("classes/1/load"); what is missing has a
   * default. What it makes is the plugin's, and kept by weir until `close`. */
  weir_status (*open)(weir_view document, weir_allocator** allocator, const weir_reply* reply);
  /* [loop thread] required. The last call with it. */
  void (*close)(weir_allocator* allocator);
  /* [loop thread] required; status. Places for jobs in all, and those that are free now. */
  weir_status (*set_workers)(weir_allocator* allocator, uint64_t workers, uint64_t idle);
  /* [loop thread] required; status. A job waits; it waits no longer and did not start; it started and takes a
   * free place; it ended and its place is free; it was stopped: its place is free and it waits again. */
  weir_status (*job_waiting)(weir_allocator* allocator, uint32_t work_class, uint32_t build);
  weir_status (*job_withdrawn)(weir_allocator* allocator, uint32_t work_class, uint32_t build);
  weir_status (*job_started)(weir_allocator* allocator, uint32_t work_class, uint32_t build);
  weir_status (*job_ended)(weir_allocator* allocator, uint32_t work_class, uint32_t build);
  weir_status (*job_requeued)(weir_allocator* allocator, uint32_t work_class, uint32_t build);
  /* [loop thread] required; status. 1: none of the build's jobs could start now, whatever is free; it is to
   * be passed over as if nothing of it waited, and what comes meanwhile too. 0: no longer. */
  weir_status (*set_blocked)(weir_allocator* allocator, uint32_t work_class, uint32_t build,
                             uint32_t blocked);
  /* [loop thread] required; status. Whose job may start now: a build with waiting jobs that is not blocked,
   * and its class; none if no place is free. The same until something else is told. */
  weir_status (*next)(weir_allocator* allocator, uint32_t* work_class, uint32_t* build);
  /* [loop thread] optional; status. What must be stopped for the sake of others; each is told by
   * job_requeued, or by job_ended if it was faster. */
  weir_status (*to_stop)(weir_allocator* allocator, int64_t now, const weir_stop_sink* sink);
  /* [loop thread] optional; status. When to_stop is worth a question although nothing else happens: later
   * than the `now` of the last one. */
  weir_status (*next_check)(weir_allocator* allocator, int64_t* when);
  /* [loop thread] optional: without it there is one class, "default". Asked once, after open: {"classes":
   * [name..]}; the first is class 0. */
  weir_status (*classes)(weir_allocator* allocator, const weir_reply* reply);
  /* [loop thread] optional; status: without it everybody is of class 0. */
  weir_status (*class_of)(weir_allocator* allocator, weir_view requestor, uint32_t* work_class);
  /* [loop thread] optional. What people may read and change while jobs run: an object whose members are the
   * names that `set` knows. */
  weir_status (*settings)(weir_allocator* allocator, const weir_reply* reply);
  /* [loop thread] optional. `json` is any JSON value. A bad one changes nothing and is refused; WEIR_OK needs
   * no document. */
  weir_status (*set)(weir_allocator* allocator, weir_view name, weir_view json, const weir_reply* reply);
  /* [loop thread] optional. After WEIR_BROKEN: complains of what went wrong. What it returns is not looked
   * at. */
  weir_status (*trouble)(weir_allocator* allocator, const weir_reply* reply);
} weir_allocator_v1;

#define WEIR_PLACER "weir.placer/1"

/* The queue that a pick came from: of the worker's own results, of its dependencies, of all. */
#define WEIR_PICK_RESULT 0u
#define WEIR_PICK_DEPENDENCY 1u
#define WEIR_PICK_GLOBAL 2u

typedef struct weir_placer weir_placer; /* the plugin's own */

/* Where remove_worker answers to. weir's; good until remove_worker returns. */
typedef struct weir_job_sink weir_job_sink;
struct weir_job_sink {
  uint32_t size;
  uint32_t reserved;
  void* host; /* weir's own */
  /* [loop thread] */
  void (*job)(const weir_job_sink* sink, uint32_t job);
};

/* A job and the artifact that comes of it share one number. Each call with a `now` first does what is due by
 * then. */
typedef struct weir_placer_v1 {
  weir_table head;
  /* [loop thread] required. As of an allocator; a document of what [placement] says:
   *   {"place", "cache-timeout": seconds, "deps-timeout": seconds, "pick", "skip-empty-stages", "seed"} */
  weir_status (*open)(weir_view document, weir_placer** placer, const weir_reply* reply);
  /* [loop thread] required. The last call with it. */
  void (*close)(weir_placer* placer);
  /* [loop thread] optional; status. It is that late. */
  weir_status (*advance)(weir_placer* placer, int64_t now);
  /* [loop thread] optional; status. When `advance` is worth a call although nothing else happens: later than
   * the last `now`. */
  weir_status (*next_timer)(weir_placer* placer, int64_t* when);
  /* [loop thread] required; status. It may ask for jobs. */
  weir_status (*add_worker)(weir_placer* placer, uint32_t worker);
  /* [loop thread] required; status. Forgets what it holds. The jobs that it runs wait again as if scheduled
   * now; all of them go to `lost`, in the order in which they were picked. */
  weir_status (*remove_worker)(weir_placer* placer, uint32_t worker, int64_t now, const weir_job_sink* lost);
  /* [loop thread] optional; status. The worker holds the artifact, or does not any more. */
  weir_status (*add_artifact)(weir_placer* placer, uint32_t worker, uint32_t artifact, int64_t now);
  weir_status (*remove_artifact)(weir_placer* placer, uint32_t worker, uint32_t artifact, int64_t now);
  /* [loop thread] optional; status. 1 if the worker holds it: without it nobody is said to hold anything. */
  weir_status (*holds)(weir_placer* placer, uint32_t worker, uint32_t artifact, uint32_t* held);
  /* [loop thread] optional; status. A worker that holds it. */
  weir_status (*locate)(weir_placer* placer, uint32_t artifact, uint32_t* worker);
  /* [loop thread] required; status. A job waits that neither waited nor ran; `deps` are the artifacts that it
   * uses. */
  weir_status (*schedule)(weir_placer* placer, uint32_t job, const uint32_t* deps, uint64_t dep_count,
                          int64_t now);
  /* [loop thread] required; status. Nobody wants a job any more that waits or runs. */
  weir_status (*withdraw)(weir_placer* placer, uint32_t job, int64_t now);
  /* [loop thread] required; status. The job that this worker takes now, one that waits, and the queue that it
   * came from (WEIR_PICK_GLOBAL unless it is set). None: the worker waits from now on, until it is woken or
   * removed. */
  weir_status (*pick)(weir_placer* placer, uint32_t worker, int64_t now, uint32_t* job, uint32_t* queue);
  /* [loop thread] required; status. The worker is done with the job. With `ok` 1 it holds its artifact, and
   * the job is finished whether it ran there, elsewhere or nowhere, or was not known at all. With 0 it is
   * finished if this worker ran it. */
  weir_status (*complete)(weir_placer* placer, uint32_t worker, uint32_t job, uint32_t ok, int64_t now);
  /* [loop thread] required; status. A waiting worker for which there may be something to pick; none if there
   * is no other. */
  weir_status (*next_woken)(weir_placer* placer, uint32_t* worker);
  /* [loop thread] optional. As of an allocator. */
  weir_status (*trouble)(weir_placer* placer, const weir_reply* reply);
} weir_placer_v1;

/* ---- the entry ---- */

/* One kind of a library. */
typedef struct weir_offer {
  weir_view type;    /* WEIR_ELEMENT, .. */
  const void* table; /* of that type */
} weir_offer;

typedef struct weir_plugin {
  uint32_t size;
  uint16_t abi_major; /* WEIR_ABI_MAJOR of the header that it was built with */
  uint16_t abi_minor;
  weir_view name;    /* who made it: part of the keys of its kinds */
  weir_view version; /* for people */
  uint32_t offer_count;
  uint32_t offer_size; /* sizeof(weir_offer) of the header that it was built with */
  const weir_offer* offers;
} weir_plugin;

/* What weir tells a plugin. */
typedef struct weir_host {
  uint32_t size;
  uint16_t abi_major;
  uint16_t abi_minor;
  weir_view version; /* of weir, for people */
  /* [any thread] For people who work on the plugin: shown with WEIR_LOG=debug. */
  void (*log)(weir_view text);
} weir_host;

#if defined(__GNUC__)
#define WEIR_EXPORT __attribute__((visibility("default")))
#else
#define WEIR_EXPORT
#endif

/* [any thread] Called once, when a project first uses a kind of this library. `host` is weir's and lives as
 * long as the process; what is returned is the plugin's and does so too. */
WEIR_EXPORT const weir_plugin* weir_plugin_entry_v1(const weir_host* host);

typedef const weir_plugin* weir_plugin_entry(const weir_host* host);

#ifdef __cplusplus
}
#endif

#endif
