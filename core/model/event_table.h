// The one table of all events: struct, JSON and docs/events.md are made from it. Append-only: fields and
// events are added at the end of their list, never changed or removed; readers ignore what they do not know.
//
//   WEIR_EVENTS(E): E(StructName, "json.name", "what it says")
//   WEIR_FIELDS_StructName(F): F(type, member, "json_name", "what it says")
// A field of type optional<> that is empty, and an empty text that is marked so by its type (OptionalText),
// is left out.
#pragma once

#define WEIR_EVENTS(E)                                                                                       \
  E(RunStart, "run.start", "a run begins")                                                                   \
  E(RunPlan, "run.plan", "what there is to do")                                                              \
  E(JobWait, "job.wait", "a job that could run otherwise has to wait, and for what")                         \
  E(JobStart, "job.start", "a job was handed to the executor")                                               \
  E(JobStep, "job.step", "a step of a job ended")                                                            \
  E(JobSuspend, "job.suspend", "a running job was suspended")                                                \
  E(JobResume, "job.resume", "a suspended job goes on")                                                      \
  E(JobStop, "job.stop", "a job was told to stop")                                                           \
  E(JobRetry, "job.retry", "a failed job will be tried again")                                               \
  E(JobEnd, "job.end",                                                                                       \
    "a job is over; exactly once per job that started, and for waiting jobs that are cancelled")             \
  E(ElementState, "element.state", "an element was classified by a queue, or is done with it")               \
  E(Control, "control", "something was changed from outside while the run goes on")                          \
  E(Diagnostic, "diagnostic", "a warning")                                                                   \
  E(RunEnd, "run.end", "the run is over")                                                                    \
  E(JobProcess, "job.process", "the first process of a job was started; what had to be staged is staged")    \
  E(WorkerState, "worker.state", "a worker is there, or takes jobs no longer, or again")                     \
  E(ArtifactMove, "artifact.move", "a worker gets an artifact that another one holds, for a job")            \
  E(RemoteState, "remote.state", "a remote is used no longer or only in part, or has sent something wrong")  \
  E(RemoteTransfer, "remote.transfer", "what a job got from a remote or gave to it")                         \
  E(ElementChanges, "element.changes",                                                                       \
    "what is different about an element whose build failed, since it last was built")                        \
  E(RunAsk, "run.ask",                                                                                       \
    "the person at the terminal is asked what to do; jobs are suspended until the answer, which is told as " \
    "a control")                                                                                             \
  E(RunUnchanged, "run.unchanged",                                                                           \
    "elements of which an earlier run knows that nothing about them has changed: nothing else is told of "   \
    "them")                                                                                                  \
  E(JobCores, "job.cores", "a running job got more cores, or gave some back")

#define WEIR_FIELDS_RunStart(F)                                     \
  F(std::uint64_t, run, "run", "number of the run in this project") \
  F(TextList, args, "args", "the command line")                     \
  F(std::uint64_t, cpus, "cpus", "cores that weir may use")         \
  F(OptionalText, project, "project", "its name")                   \
  F(OptionalText, version, "version", "of weir")

#define WEIR_FIELDS_RunPlan(F)                                   \
  F(std::uint64_t, elements, "elements", "elements of the plan") \
  F(std::uint64_t, edges, "edges", "dependencies between them")  \
  F(TextList, queues, "queues", "the row of queues")             \
  F(TokenList, tokens, "tokens", "how many of each token there are")

#define WEIR_FIELDS_JobWait(F)                                                                               \
  F(std::uint64_t, job, "job", "unique in a run")                                                            \
  F(std::string_view, element, "element", "its name")                                                        \
  F(std::string_view, queue, "queue", "its queue")                                                           \
  F(std::string_view, what, "for", "token, lane, place, memory, lock, breaker, class or backoff")            \
  F(OptionalText, name, "name", "which one; of memory: memory (tokens), pressure or caution (after a kill)") \
  F(std::optional<std::int64_t>, need, "need", "how many tokens")                                            \
  F(std::optional<std::int64_t>, free, "free", "how many are free")

#define WEIR_FIELDS_JobStart(F)                                                                 \
  F(std::uint64_t, job, "job", "unique in a run")                                               \
  F(std::string_view, element, "element", "its name")                                           \
  F(std::string_view, queue, "queue", "its queue")                                              \
  F(std::uint64_t, attempt, "attempt", "1 for the first; a job stopped by weir is not charged") \
  F(std::string_view, worker, "worker", "where it runs")                                        \
  F(OptionalText, key, "key", "the element's cache key")                                        \
  F(TokenList, tokens, "tokens", "what the job holds")                                          \
  F(OptionalText, requestor, "requestor", "who asked for it")                                   \
  F(OptionalText, job_class, "class", "the requestor's class")                                  \
  F(std::optional<double>, expected, "expected", "seconds that it took in earlier runs")        \
  F(std::optional<double>, rest, "rest",                                                        \
    "seconds of the longest way from its start to the end of the run, by earlier runs")

#define WEIR_FIELDS_JobStep(F)                                                    \
  F(std::uint64_t, job, "job", "unique in a run")                                 \
  F(std::uint64_t, step, "step", "its position in the job")                       \
  F(TextList, argv, "argv", "the command; empty for steps that weir does itself") \
  F(double, seconds, "seconds", "running time")                                   \
  F(std::int64_t, exit, "exit", "exit code, or 128 + signal")

#define WEIR_FIELDS_JobSuspend(F) F(std::uint64_t, job, "job", "unique in a run")
#define WEIR_FIELDS_JobResume(F) F(std::uint64_t, job, "job", "unique in a run")

#define WEIR_FIELDS_JobStop(F)                    \
  F(std::uint64_t, job, "job", "unique in a run") \
  F(std::string_view, reason, "reason", "cancelled, timeout, stall, preempted or shutdown")

#define WEIR_FIELDS_JobRetry(F)                            \
  F(std::uint64_t, job, "job", "the one that failed")      \
  F(std::string_view, element, "element", "its name")      \
  F(std::string_view, queue, "queue", "its queue")         \
  F(std::string_view, failure, "failure", "why it failed") \
  F(std::uint64_t, attempt, "attempt", "the one to come")  \
  F(double, delay_ms, "delay_ms", "how long it waits")

#define WEIR_FIELDS_JobEnd(F)                                                                         \
  F(std::uint64_t, job, "job", "unique in a run")                                                     \
  F(std::string_view, element, "element", "its name")                                                 \
  F(std::string_view, queue, "queue", "its queue")                                                    \
  F(std::string_view, result, "result", "succeeded, failed, cancelled or skipped")                    \
  F(OptionalText, failure, "failure", "command, source, timeout, stall, oom, network, infra or lost") \
  F(std::optional<std::int64_t>, exit, "exit", "exit code of the step that failed, or 128 + signal")  \
  F(double, seconds, "seconds", "running time without suspended time")                                \
  F(double, cpu_seconds, "cpu_seconds", "of all its processes")                                       \
  F(std::uint64_t, peak_bytes, "peak_bytes", "memory of all its processes together")                  \
  F(OptionalText, evidence, "evidence", "what tells the failure")

#define WEIR_FIELDS_ElementState(F)                                                                    \
  F(std::string_view, element, "element", "its name")                                                  \
  F(std::string_view, queue, "queue", "the queue")                                                     \
  F(std::string_view, status, "status", "wait, skip, ready, done, failed, blocked or cancelled")       \
  F(OptionalText, reason, "reason", "why")                                                             \
  F(OptionalText, because, "because", "the other element that it waits for or that stands in its way") \
  F(std::optional<double>, expected, "expected",                                                       \
    "seconds that its job in this queue took in earlier runs; of wait and ready")

#define WEIR_FIELDS_Control(F)                                    \
  F(std::string_view, what, "what", "what was changed")           \
  F(OptionalText, name, "name", "of the thing that was changed")  \
  F(std::optional<std::int64_t>, value, "value", "its new value") \
  F(OptionalText, text, "text", "its new value, where it is no number: JSON")

#define WEIR_FIELDS_Diagnostic(F)                        \
  F(std::string_view, level, "level", "warning or note") \
  F(std::string_view, message, "message", "for people")

#define WEIR_FIELDS_RunEnd(F)                                                                  \
  F(std::string_view, result, "result", "succeeded, failed or cancelled")                      \
  F(std::int64_t, exit, "exit", "exit code")                                                   \
  F(std::uint64_t, built, "built", "elements built")                                           \
  F(std::uint64_t, cached, "cached", "elements whose artifact was there")                      \
  F(std::uint64_t, fetched, "fetched", "elements whose sources were fetched")                  \
  F(std::uint64_t, pulled, "pulled", "artifacts taken from a remote")                          \
  F(std::uint64_t, pushed, "pushed", "artifacts given to a remote")                            \
  F(std::uint64_t, failed, "failed", "elements that failed")                                   \
  F(std::uint64_t, skipped, "skipped", "elements not started because of others, or cancelled") \
  F(double, seconds, "seconds", "from start to end")                                           \
  F(double, critical_path, "critical_path",                                                    \
    "seconds of the longest chain of jobs that waited for each other")                         \
  F(std::uint64_t, tracked, "tracked", "elements whose sources were tracked")                  \
  F(NumberList, critical_jobs, "critical_jobs",                                                \
    "the jobs of the critical path, in order: their seconds add up to it")

#define WEIR_FIELDS_WorkerState(F)                                                                    \
  F(std::string_view, worker, "worker", "its name")                                                   \
  F(std::string_view, state, "state",                                                                 \
    "up, draining, drained, gone, or broken: too many of its jobs failed through no fault of theirs") \
  F(std::int64_t, slots, "slots", "how many jobs it runs at once")                                    \
  F(std::int64_t, running, "running", "how many it runs now")

#define WEIR_FIELDS_ArtifactMove(F)                           \
  F(std::string_view, element, "element", "whose artifact")   \
  F(std::string_view, from, "from", "a worker that holds it") \
  F(std::string_view, to, "to", "the worker that needs it")   \
  F(std::uint64_t, job, "job", "for which job")

#define WEIR_FIELDS_RemoteState(F)                                                                    \
  F(std::string_view, remote, "remote", "its URL, without secrets")                                   \
  F(std::string_view, state, "state",                                                                 \
    "up; read-only; resting: for a while, its circuit breaker is open; off: for the rest of the run") \
  F(std::string_view, reason, "reason", "what happened")

#define WEIR_FIELDS_RemoteTransfer(F)                                  \
  F(std::uint64_t, job, "job", "unique in a run")                      \
  F(std::string_view, remote, "remote", "its URL, without secrets")    \
  F(std::string_view, direction, "direction", "pull or push")          \
  F(std::uint64_t, blobs, "blobs", "how many, with records and trees") \
  F(std::uint64_t, bytes, "bytes", "of them")

#define WEIR_FIELDS_JobProcess(F)                 \
  F(std::uint64_t, job, "job", "unique in a run") \
  F(std::int64_t, pid, "pid", "of its first process")

#define WEIR_FIELDS_ElementChanges(F)                                              \
  F(std::string_view, element, "element", "its name")                              \
  F(std::uint64_t, since, "since", "the run that last built it; 0: none is known") \
  F(TextList, changes, "changes", "what changed, a line each")

#define WEIR_FIELDS_RunUnchanged(F)                     \
  F(std::uint64_t, elements, "elements", "of the plan") \
  F(std::uint64_t, cached, "cached", "of those, how many the run wanted: their artifacts are there")

#define WEIR_FIELDS_JobCores(F)                   \
  F(std::uint64_t, job, "job", "unique in a run") \
  F(std::uint64_t, cores, "cores", "that it holds now, of the token process")

#define WEIR_FIELDS_RunAsk(F)                                 \
  F(std::string_view, about, "about", "failure or interrupt") \
  F(OptionalText, element, "element", "that failed")          \
  F(OptionalText, queue, "queue", "in which it failed")       \
  F(std::optional<std::int64_t>, job, "job", "that failed")
