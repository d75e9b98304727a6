"""Figures as Markdown and JSON. Each table has its own pair of comments in the page, so that a run of some workloads replaces those
tables and nothing else, and what people wrote around them stays."""
import json
import os
import re
from pathlib import Path


def begin_of(name):
    return f"<!-- bench/run {name}: written by bench/run, do not edit -->"


def end_of(name):
    return f"<!-- bench/run {name}: end -->"


def write_json(path, results):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, json.dumps(results, indent=1) + "\n")


def write_page(path, results):
    """Tables whose comments are in the page go there, the others to its end."""
    path = Path(path)
    page = path.read_text() if path.exists() else "# Benchmarks\n"
    for name, text in _parts(results):
        block = f"{begin_of(name)}\n{text}\n{end_of(name)}"
        place = re.compile(re.escape(begin_of(name)) + ".*?" + re.escape(end_of(name)), re.DOTALL)
        if place.search(page):
            page = place.sub(lambda _, block=block: block, page, count=1)
        else:
            page = f"{page.rstrip()}\n\n{block}\n"
    _replace(path, page)


def text(results):
    return "\n\n".join(part for _, part in _parts(results)) + "\n"


def _replace(path, content):
    beside = path.with_name(path.name + ".new")
    beside.write_text(content)
    os.replace(beside, path)


def _parts(results):
    yield "machine", _machine(results)
    for table in results["tables"]:
        rows = [_columns(table["name"])] + [SHOW.get(table["name"], _timed)(row) for row in table["rows"]]
        parts = [f"### {table['title']}", _markdown(rows)]
        if table["notes"]:
            parts.append(" ".join(table["notes"]))
        yield table["name"], "\n\n".join(parts)


def _machine(results):
    machine = results["machine"]
    peers = ", ".join(f"{name} {version}" for name, version in results["peers"].items())
    return (f"{results['weir']} on {machine['cores']} cores ({machine['cpu']}), {machine['memory_gib']:.0f} GiB, Linux {machine['kernel']}, "
            f"{machine['filesystem']}; {results['date']}, load {machine['load']:.1f} at the start. Medians of {results['rounds']} rounds in turns, ratios within each round (lowest to "
            f"highest). Beside: {peers or 'nobody'}." + "".join(f" {text}." for text in results["missing"]))


def _columns(name):
    return {
        "changed": ["elements", "tool", "wall", "CPU", "null build", "overhead", "null build after", "overhead / null build", "aim"],
        "cold": ["elements", "-j", "tool", "wall", "per job", "CPU", "peak memory", "wall beside ninja", "CPU beside ninja", "aim"],
        "sandboxed": ["elements", "build", "tool", "wall", "one element", "per element", "CPU", "peak memory", "per element beside bst", "aim"],
        "programs": ["program", "workload", "figure", "aim"],
        "growth": ["workload", "tool", "figure", "at each size", "exponents"],
        "instructions": ["workload", "count", "instructions"],
    }.get(name, ["elements", "tool", "wall", "CPU", "peak memory", "wall beside ninja", "CPU beside ninja", "aim"])


def _timed(row):
    return [_count(row["size"]), row["tool"], _wall(row), _seconds(row["cpu_s"]), _bytes(row["peak_bytes"]), _ratio(row), _cpu_ratio(row), row["aim"] or ""]


def _changed(row):
    return [_count(row["size"]), row["tool"], _wall(row), _seconds(row["cpu_s"]), _seconds(row["null_s"]), _seconds(row["overhead_s"]),
            _seconds(row["after_s"]), _ratio(row), row["aim"] or ""]


def _cold(row):
    return [_count(row["size"]), str(row["parallel"]), row["tool"], _wall(row), _seconds(row["per_element_s"]), _seconds(row["cpu_s"]),
            _bytes(row["peak_bytes"]), _ratio(row), _cpu_ratio(row), row["aim"] or ""]


def _sandboxed(row):
    return [_count(row["size"]), row["state"], row["tool"], _wall(row), _seconds(row["one_s"]), _seconds(row["per_element_s"]),
            _seconds(row["cpu_s"]), _bytes(row["peak_bytes"]), _ratio(row, 4), row["aim"] or ""]


def _program(row):
    figure = row["figure"]
    shown = row.get("why", "") if figure is None else figure if isinstance(figure, str) else f"{figure:g}"
    return [f"`{row['program']}`", str(row["workload"]), shown, str(row.get("aim") or "")]


def _growth(row):
    show = _bytes if row["figure"] == "peak_bytes" else _seconds
    return [row["workload"], row["tool"], row["words"], ", ".join(f"{_count(point['size'])}: {show(point['figure'])}" for point in row["points"]),
            ", ".join(f"{exponent:.2f}" for exponent in row["exponents"])]


def _instructions(row):
    return [row["workload"], row["per"], _count(row["instructions"])]


SHOW = {"changed": _changed, "cold": _cold, "sandboxed": _sandboxed, "programs": _program, "growth": _growth,
        "instructions": _instructions}


def _markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("---" for _ in rows[0]) + " |")
    return "\n".join(lines)


def _count(number):
    return f"{number:,}"


def _wall(row):
    return f"{_seconds(row['wall_s'])} ({_seconds(row['wall_low_s'])} to {_seconds(row['wall_high_s'])})"


def _seconds(value):
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if abs(value) * factor >= 1:
            return f"{value * factor:.{2 if abs(value) * factor < 100 else 0}f} {unit}"
    return f"{value * 1e6:.0f} µs"


def _bytes(value):
    return f"{value / 2**20:.1f} MiB" if value else "not measured"


def _cpu_ratio(row):
    return f"{row['cpu_ratio']:.2f} x" if "cpu_ratio" in row else ""


def _ratio(row, digits=2):
    return f"{row['ratio']:.{digits}f} x ({row['ratio_low']:.{digits}f} to {row['ratio_high']:.{digits}f})" if "ratio" in row else ""
