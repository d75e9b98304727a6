"""What a command did, without what differs from run to run: times, process ids, and the order of what goes on at once."""
import collections
import json
import os
import re

# Fields of events that are measured, or numbered in the order in which things happened to begin.
CHANCE = {"t", "us", "seq", "job", "pid", "seconds", "cpu_seconds", "peak_bytes", "critical_path", "critical_jobs", "delay_ms", "moved", "free",
          "rest", "expected", "efficiency", "version", "bytes_per_second"}
# Events whose number depends on how fast something went.
COUNTED_BY_CHANCE = {"job.usage", "job.wait", "job.cores", "remote.transfer", "job.progress"}
TEXTS = [(re.compile(pattern, re.MULTILINE), by) for pattern, by in (
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "<date>"),
    (r"\b\d\d:\d\d:\d\d(\.\d+)?", "<time>"),
    (r"\b\d+:\d\d\b", "<minutes>"),
    (r"\b\d+(\.\d+)? ?(s|ms|us|min|h)\b", "<duration>"),
    (r"\b\d+(\.\d+)? (B|kB|KiB|MB|MiB|GB|GiB)\b", "<size>"),
    (r'"(seconds|cpu_seconds|peak_bytes|started|ended|critical_path|efficiency)": ?[-0-9.e+]+', r'"\1":<n>'),
    (r"[\d.]+ of \d+ cores busy \(\d+ %\)", "<cores> busy"),
    (r"^ +critical path <duration>, <cores> busy$", ""),  # left out where it is short
    (r"^ +largest job <size> \(.*\)$", ""),
    (r"\bpid \d+", "pid <n>"),
)]


class Record:
    """One command: what was asked, its exit code, its output, its events and what it left."""

    def __init__(self, words, exit_code, out, err, events="", files=None):
        self.words, self.exit = " ".join(words), exit_code
        self.out, self.err = plain(out), plain(err)
        self.events = [event for event in map(reduced, events.splitlines()) if event]
        self.files = files or {}

    def facts(self):
        """Named facts, each compared on its own."""
        yield "exit code", self.exit
        yield "stdout", sorted(self.out) if self.events else self.out
        yield "stderr", collections.Counter(self.err)
        for name, value in self.files.items():
            yield f"file {name}", value
        by_element = collections.defaultdict(list)
        for event in self.events:
            by_element[event.get("element", "")].append(json.dumps(event, sort_keys=True))
        for element, events in by_element.items():
            # Of one element the order is decided by its way through the queues; of the run itself it may be chance.
            yield f"events of {element or 'the run'}", events if element else sorted(events)


def plain(text):
    for pattern, by in TEXTS:
        text = pattern.sub(by, text)
    return [line for line in text.splitlines() if line]


def reduced(line):
    event = json.loads(line)
    if event["ev"] in COUNTED_BY_CHANCE:
        return None
    kept = {name: value for name, value in event.items() if name not in CHANCE}
    # Whether the answer of the store came before the question was asked again is chance; where an element ended is not.
    if event["ev"] == "element.state" and event.get("status") == "wait":
        return None
    if event.get("worker") != "local":
        kept.pop("worker", None)  # of several, the one that had a place first
    return kept


def differences(old, new):
    """One line per fact that differs."""
    lines = []
    if [record.words for record in old] != [record.words for record in new]:
        return [f"other commands: {[record.words for record in old]} and {[record.words for record in new]}"]
    for before, after in zip(old, new):
        one, other = dict(before.facts()), dict(after.facts())
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                lines.append(f"weir {before.words}: {name}: {first_difference(one.get(name), other.get(name))}")
    return lines


def first_difference(one, other):
    if isinstance(one, collections.Counter) and isinstance(other, collections.Counter):
        one, other = sorted((one - other).elements()), sorted((other - one).elements())
    if isinstance(one, list) and isinstance(other, list):
        at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
        one, other = one[at] if at < len(one) else "nothing", other[at] if at < len(other) else "nothing"
    one, other = str(one), str(other)
    same = len(os.path.commonprefix([one, other]))
    begin = max(0, same - 60)
    return f"{one[begin:same + 160]!r} became {other[begin:same + 160]!r}"
