"""What a workload gives: rows with figures, as plain dictionaries that go to JSON as they are."""
from suite import measure


def row(command, size, peer=None, aim=None, per=None):
    """Of a measured command; `peer` is the measured command that it is compared with, `per` what its wall time is divided by."""
    walls = [sample.wall for sample in command.samples]
    made = {"tool": command.label, "size": size, "rounds": len(walls), "wall_s": command.wall(), "wall_low_s": min(walls),
            "wall_high_s": max(walls), "cpu_s": command.cpu(), "peak_bytes": command.peak, "aim": aim}
    if peer is not None and peer is not command:
        made["ratio"], made["ratio_low"], made["ratio_high"], made["cpu_ratio"] = measure.ratio(command, peer)
        made["peer"] = peer.label
    if per:
        made["per_element_s"] = command.wall() / per
    return made


def table(name, title, rows, notes=()):
    return {"name": name, "title": title, "rows": rows, "notes": list(notes)}
