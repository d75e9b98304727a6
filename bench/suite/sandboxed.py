"""Elements in a sandbox each, beside BuildStream on its equal project. The peer takes fewer elements (it is slow), so times per
element are compared: what more elements cost, without the start of the program."""
import os
import statistics

from suite import measure, tables, workloads

AIMS = {"cold": "at most 1/10 of bst", "null": "at most 1/50 of bst"}


def sandboxed(context):
    mine, its = context.sandboxed
    tools = [("weir, root of the host", "host", mine)]
    notes = []
    if os.path.exists(workloads.BUSYBOX):
        tools.append(("weir, staged busybox", "staged", mine))
    else:
        notes.append("busybox-static is not installed: nothing was staged.")
    if "bst" in context.peers and os.path.exists(workloads.BUSYBOX):
        tools.append(("bst", "bst", its))
    context.say("sandboxed elements")
    pairs = {label: {state: _measured(context, label, kind, size, state) for state in ("cold", "null")} for label, kind, size in tools}
    for number in range(context.rounds):
        _round(context, pairs, number)
    rows = []
    for state in ("cold", "null"):
        for label, _, size in tools:
            rows.append(_row(label, state, size, pairs[label][state], pairs.get("bst", {}).get(state)))
    return tables.table("sandboxed", "Sandboxed elements beside BuildStream", rows, notes + [
        "Per element: (wall of all - wall of a project with one element) / (elements - 1), so that the start of a program does not count. "
        "Both build as many at once as there are cores."])


def _measured(context, label, kind, size, state):
    """The commands for one element and for all."""
    return {count: _command(context, label, kind, count, state) for count in (1, size)}


_homes = {}  # of the newest cold build of each project: the null build finds there what was built


def _command(context, label, kind, count, state):
    root = context.work / f"sandboxed-{kind}-{count}"
    if state == "cold":
        root.mkdir()
        if kind == "bst":
            workloads.bst(root, count)
        else:
            workloads.weir_sandboxed(root, count, staged=kind == "staged")

    def environment():
        if state == "cold":
            _homes[root] = str(context.fresh("home"))
        home = _homes[root]
        return {"HOME": home, "XDG_CACHE_HOME": home + "/.cache", "XDG_CONFIG_HOME": home + "/.config", "WEIR_CACHE_DIR": home + "/weir"}

    jobs = str(os.cpu_count())
    if kind == "bst":  # two more: the base and the stack
        argv = [context.peers["bst"].path, "-C", str(root), "--no-interactive", "--builders", jobs, "build", "all.bst"]
        return context.command(label, argv, prepare=environment, expect=f"Build Queue: processed {count + 2 if state == 'cold' else 0},")
    # The base is built first, and not asked for when all that is built on it is there.
    expect = f"succeeded: {count + (kind == 'staged')} built" if state == "cold" else f"succeeded: {count} cached"
    return context.weir_build(label, root, "-j", jobs, prepare=environment, expect=expect)


def _round(context, pairs, number):
    labels = list(pairs)
    turn = number % len(labels)
    for label in labels[turn:] + labels[:turn]:
        measure.settle(2.2 if number == 0 else 0)
        for state in ("cold", "null"):
            for command in pairs[label][state].values():
                command.samples.append(measure.run(command))
                if number == 0:
                    command.peak = measure.peak(command)
        walls = {state: list(pairs[label][state].values())[-1].samples[-1].wall for state in ("cold", "null")}
        context.say(f"  round {number + 1}: {label} cold {walls['cold']:.3f} s, null {walls['null']:.4f} s")


def _per_element(pair):
    few, many = pair.values()
    (count_few, count_many) = pair.keys()
    return [(all_.wall - one.wall) / (count_many - count_few) for one, all_ in zip(few.samples, many.samples)]


def _row(label, state, size, pair, peer):
    made = tables.row(pair[size], size, aim=AIMS[state] if label.startswith("weir") else None)
    made["state"] = state
    mine = _per_element(pair)
    made["per_element_s"] = statistics.median(mine)
    made["one_s"] = pair[1].wall()
    if peer and not label.startswith("bst"):
        each = [a / b for a, b in zip(mine, _per_element(peer)) if b > 0]
        if not each or min(each) <= 0:  # so few elements that they are lost in the noise of the start
            return made
        made["ratio"], made["ratio_low"], made["ratio_high"], made["peer"] = statistics.median(each), min(each), max(each), "bst"
    return made
