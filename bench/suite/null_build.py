"""Nothing to do: weir in two layouts beside ninja and make with the equal graph."""
from suite import measure, tables, workloads

AIMS = {1000: "1.0 x ninja", 10_000: "0.5 x ninja", 100_000: "0.25 x ninja"}
MEMORY_AIM = "1 KiB per element"
LAYOUTS = (("weir, one file", False), ("weir, a file each", True))


class Projects:
    """The built projects of one size, made when first asked for: the changed build uses those of the null build."""

    def __init__(self, context):
        self.context = context
        self.made = {}

    def of(self, size):
        if size not in self.made:
            self.made[size] = self._make(size)
        return self.made[size]

    def _make(self, size):
        context = self.context
        context.say(f"null build: making and building {size} elements for every tool")
        roots, commands = {}, []
        cache = context.fresh(f"cache-{size}")
        for label, each_a_file in LAYOUTS:
            roots[label] = root = context.fresh(f"weir-{size}")
            workloads.sources(root, size)
            workloads.weir(root, size, each_a_file=each_a_file, body=workloads.copies_or_imports(size))
            commands.append(context.weir_build(label, root, cache=cache))
        for name, write in (("ninja", workloads.ninja), ("make", workloads.make)):
            if name in context.peers:
                roots[name] = root = context.fresh(f"{name}-{size}")
                workloads.sources(root, size)
                write(root, size)
                commands.append(context.command(name, [context.peers[name].path, "-C", str(root), "-j", "2"]))
        measure.settle()
        for command in commands:
            measure.run(command)
        measure.settle()
        for command in commands:  # a second time: what was too young to be believed is looked at again, and then believed
            measure.run(command)
            command.expect = {"ninja": "no work to do", "make": "Nothing to be done"}.get(command.label, f"succeeded: {size} cached")
        return roots, {command.label: command for command in commands}


def null_build(context, projects):
    rows = []
    for size in context.sizes:
        _, commands = projects.of(size)
        context.say(f"null build of {size} elements")
        measure.interleaved(list(commands.values()), context.rounds, context.say)
        peer = commands.get("ninja")
        rows += [tables.row(command, size, peer, AIMS.get(size) if label.startswith("weir") else None)
                 for label, command in commands.items()]
    return tables.table("null", "Null build, one source file per element", rows, [f"Aim for memory: {MEMORY_AIM}."] + _memory(rows) + _kinds(context.sizes))


def _kinds(sizes):
    large = [size for size in sizes if size > workloads.LARGE]
    return [f"Above {workloads.LARGE:,}, weir's elements are of the kind import (their first build would take minutes); ninja and make copy."] if large else []


def _memory(rows):
    """Bytes per element between the smallest and the largest size."""
    said = []
    for label in dict.fromkeys(row["tool"] for row in rows):
        mine = [row for row in rows if row["tool"] == label and row["peak_bytes"]]
        if len(mine) > 1:
            more = (mine[-1]["peak_bytes"] - mine[0]["peak_bytes"]) / (mine[-1]["size"] - mine[0]["size"])
            said.append(f"{label}: {more:.0f} bytes of peak memory per element more, from {mine[0]['size']} to {mine[-1]['size']}.")
    return said
