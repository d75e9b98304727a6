"""Instructions of the weir process (not of what it runs), counted by callgrind: of null builds nearly the same on any machine, so that the
next change can be compared with them. Those of cold builds hold threads that spin: two runs on a busy machine were 10 % apart. Counts per element and per job are differences between two sizes."""
import re
from pathlib import Path

from suite import measure, workloads

COLD = (100, 300)


def instructions(context, projects):
    rows = [_row("`weir --version`", "start-up", _count(context, [context.weir, "--version"], {}))]
    few, many = _two_sizes(context.sizes)
    for label in ("weir, one file", "weir, a file each"):
        counts = []
        for size in (few, many):
            command = projects.of(size)[1][label]
            counts.append(_count(context, command.argv, command.env, command.expect))
            rows.append(_row(f"null build, {label.removeprefix('weir, ')}, {size} elements", "whole command", counts[-1]))
        rows.append(_row(f"null build, {label.removeprefix('weir, ')}", "per element", (counts[1] - counts[0]) / (many - few)))
    rows.append(_row("cold build of `true`, -j 2", "per job", _per_job(context)))
    return {"name": "instructions", "title": "Instructions by callgrind", "rows": rows,
            "notes": [f"Per element: the difference between {few} and {many} elements; per job: between {COLD[0]} and {COLD[1]}. Children "
                      "are not counted."]}


def _two_sizes(sizes):
    few = sizes[0]
    more = [size for size in sizes[1:] if size <= 10_000]
    return few, more[-1] if more else few * 10


def _per_job(context):
    counts = []
    for size in COLD:
        root = context.fresh(f"counted-{size}")
        workloads.weir(root, size, each_a_file=False, body=workloads.says_true)
        more = {"WEIR_CACHE_DIR": str(context.fresh("cache-counted"))}
        counts.append(_count(context, [context.weir, "-C", str(root), "build", "-j", "2"], more, f"succeeded: {size} built"))
    return (counts[1] - counts[0]) / (COLD[1] - COLD[0])


def _count(context, argv, more, expect=""):
    out = context.fresh("callgrind") / "callgrind.out"  # of each process that is a copy of weir; that of weir has its number
    context.say(f"callgrind: {' '.join(argv[1:])}")
    valgrind = [context.peers["valgrind"].path, "--tool=callgrind", "--trace-children=no", f"--callgrind-out-file={out}.%p"]
    command = context.command("callgrind", [*valgrind, *argv], expect=expect)
    command.env.update(more)
    sample = measure.run(command)
    found = re.search(r"^(?:totals|summary): (\d+)", Path(f"{out}.{sample.pid}").read_text(errors="replace"), re.MULTILINE)
    if not found:
        raise measure.Failed(f"callgrind wrote no total to {out}")
    return int(found.group(1))


def _row(workload, per, count):
    return {"workload": workload, "per": per, "instructions": round(count)}
