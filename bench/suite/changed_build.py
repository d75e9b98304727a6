"""One source file changed among many: what the change costs beside its one job, and beside doing nothing."""
import json
import statistics
from pathlib import Path

from suite import measure, tables, workloads


def changed_build(context, projects):
    """Each round: a null build of each tool, then for each tool a change, the build of it, and the null build after it. Overhead
    is the time of the command without that of its job."""
    size = context.sizes[-1]
    roots, commands = projects.of(size)
    rows = []
    tools = [tool for tool in commands if tool != "make"]  # make keeps no record of how long its jobs took
    context.say(f"one source file changed in {size} elements")
    seen = {tool: {"null": [], "changed": [], "overhead": [], "cpu": [], "after": []} for tool in tools}
    for number in range(context.rounds):
        measure.settle()
        turn = number % len(tools)
        for tool in tools[turn:] + tools[:turn]:
            _one_change(tool, commands[tool], workloads.last_source(roots[tool], size), seen[tool], number)
            context.say(f"  round {number + 1}: {tool} null {seen[tool]['null'][-1]:.4f} s, changed {seen[tool]['changed'][-1]:.4f} s")
    for tool in tools:
        rows.append(_changed_row(tool, size, seen[tool], seen.get("ninja")))
    return tables.table("changed", "One source file changed", rows,
                        ["Overhead is the whole command without the time of its one job; the ratio is to the null build of the same "
                         "round. The null build after the change is the first one, while the changed file is too young to be believed."])


def _one_change(tool, null, source, seen, number):
    seen["null"].append(measure.run(null).wall)
    with open(source, "a") as file:
        file.write(f"/* {number} */\n")
    build = measure.Command(tool, null.argv, null.env, r"\[1/1\]" if tool == "ninja" else "1 built", log=null.log)
    before = _ninja_jobs(source) if tool == "ninja" else 0
    sample = measure.run(build)
    job = _ninja_job(source, before) if tool == "ninja" else _weir_job(_newest_events(null.env["WEIR_CACHE_DIR"]))
    seen["changed"].append(sample.wall)
    seen["cpu"].append(sample.cpu)
    seen["overhead"].append(sample.wall - job)
    seen["after"].append(measure.run(null).wall)


def _newest_events(cache):
    """Every run keeps its own. Not --events: whoever wants to see all of them has all elements looked at."""
    return max(Path(cache).glob("projects/*/runs/*/events.jsonl"), key=lambda path: path.stat().st_mtime_ns)


def _weir_job(events):
    seconds = [event["seconds"] for event in map(json.loads, _lines(events)) if event["ev"] == "job.end"]
    if len(seconds) != 1:
        raise measure.Failed(f"{len(seconds)} jobs instead of one after one change, in {events}")
    return seconds[0]


def _lines(path):
    # Reading a hundred thousand events as JSON would take longer than the build.
    with open(path) as file:
        return [line for line in file if '"ev":"job.end"' in line]


def _ninja_log(source):
    return (source.parent.parent.parent / ".ninja_log").read_text().splitlines()


def _ninja_jobs(source):
    return len(_ninja_log(source))


def _ninja_job(source, before):
    """Milliseconds of start and end are the first columns of the line that was added, unless the log was written anew."""
    lines = _ninja_log(source)
    begin, end = lines[-1].split("\t")[:2]
    return (int(end) - int(begin)) / 1000 if len(lines) != before else 0.0


def _changed_row(tool, size, seen, ninja):
    median = statistics.median
    each = [over / null for over, null in zip(seen["overhead"], seen["null"])]
    made = {"tool": tool, "size": size, "rounds": len(each), "wall_s": median(seen["changed"]), "wall_low_s": min(seen["changed"]),
            "wall_high_s": max(seen["changed"]), "cpu_s": median(seen["cpu"]), "null_s": median(seen["null"]),
            "overhead_s": median(seen["overhead"]), "after_s": median(seen["after"]), "ratio": median(each),
            "ratio_low": min(each), "ratio_high": max(each), "peer": "its null build",
            "aim": "1.3 x its null build" if tool != "ninja" else None}
    if ninja and tool != "ninja":
        made["ratio_ninja"] = median(mine / its for mine, its in zip(seen["changed"], ninja["changed"]))
    return made
