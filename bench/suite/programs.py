"""Benchmarks that are programs of their own: each writes {"name": .., "rows": [{"workload": .., "figure": .., "aim": ..}, ..]} to the
file after --json, and its rows are taken as they are."""
import json
from pathlib import Path

from suite import measure

PROGRAMS = {"load": "load_bench", "store": "store_bench", "order": "order_bench", "memory": "memory_bench", "cores": "cores_bench"}


def programs(context, folder, wanted):
    """A table with the rows of each wanted program; a row without a figure says why there is none."""
    rows = []
    for short in wanted:
        rows += _rows_of(context, short, Path(folder) / PROGRAMS[short])
    return {"name": "programs", "title": "Parts of weir on their own", "rows": rows, "notes": []}


def _rows_of(context, short, program):
    if not program.exists():
        return [_without(short, f"not built: ninja -C build {program.name}")]
    # One that knows no --json would take it for a number or a folder.
    if b"--json" not in program.read_bytes():
        return [_without(short, f"not measured: {program.name} writes no JSON")]
    out = context.fresh(short) / "rows.json"
    context.say(f"{program.name}")
    measure.run(context.command(program.name, [str(program), "--json", str(out)]))
    try:
        rows = json.loads(out.read_text())["rows"]
        return [{**row, "program": program.name, "workload": row["workload"], "figure": row["figure"]} for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise measure.Failed(f"{program.name} --json {out}: not the rows that were expected: {error!r}") from None


def _without(short, why):
    return {"program": PROGRAMS[short], "workload": short, "figure": None, "why": why, "aim": None}
