"""Everything to do, and nothing in it: elements of `true` without a sandbox, each round with a fresh store."""
from suite import measure, tables, workloads

AIM = "1.3 x ninja"


def cold_build(context):
    rows = []
    largest = context.jobs
    for size, parallel in ((largest // 10, 2), (largest, 2), (largest, 8)):
        context.say(f"cold build of {size} elements of true, -j {parallel}")
        commands = _commands(context, size, parallel)
        measure.interleaved(commands, context.rounds, context.say, before_round=lambda number: measure.settle(0))
        peer = next((command for command in commands if command.label == "ninja"), None)
        for command in commands:
            made = tables.row(command, size, peer, AIM if command.label == "weir" and size == largest else None, per=size)
            rows.append({**made, "parallel": parallel})
    return tables.table("cold", "Cold build of elements of `true`, sandbox none", rows,
                        ["weir stages, hashes and commits an artifact for each; the peers keep nothing but their logs."])


def _commands(context, size, parallel):
    root = context.fresh(f"weir-true-{size}")
    workloads.weir(root, size, each_a_file=False, body=workloads.says_true)
    commands = [context.weir_build("weir", root, "-j", str(parallel), expect=f"succeeded: {size} built",
                                   prepare=lambda: {"WEIR_CACHE_DIR": str(context.fresh("cache-true"))})]
    if "ninja" in context.peers:
        at = context.fresh(f"ninja-true-{size}")
        workloads.ninja(at, size, copy=False)
        # The outputs of true never exist, so all is done again; only the log has to go.
        commands.append(context.command("ninja", [context.peers["ninja"].path, "-C", str(at), "-j", str(parallel)],
                                        expect=rf"\[{size}/{size}\]", prepare=lambda: (at / ".ninja_log").unlink(missing_ok=True)))
    if "make" in context.peers:
        folder = context.fresh(f"make-true-{size}")
        workloads.make(folder, size, copy=False)
        commands.append(context.command("make", [context.peers["make"].path, "-C", str(folder), "-j", str(parallel)], expect="true"))
    return commands
