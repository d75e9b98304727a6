"""Processes, mounts, cgroups and temporary files that weir left behind."""
import os
import time
from pathlib import Path

from chaos.process import read


def processes(folder):
    """Processes that were started for a round: by environment, words or working folder."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            place = os.readlink(f"/proc/{entry}/cwd")
        except OSError:
            place = ""
        said = read(f"/proc/{entry}/cmdline")
        if f"WEIR_CHAOS={folder}\0" in read(f"/proc/{entry}/environ") or f"{folder}/" in said or place.startswith(f"{folder}/"):
            found.append(f"process {entry}: " + said.replace("\0", " ").strip())
    return found


def mounts(folder, own):
    lines = [line.split()[4] for line in read("/proc/self/mountinfo").splitlines()]
    return [f"mount {path}" for path in lines if path.startswith(f"{folder}/") and path not in own]


def cgroups(pids):
    own = next((line[3:] for line in read("/proc/self/cgroup").splitlines() if line.startswith("0::")), None)
    tops = [line.split()[1] for line in read("/proc/self/mounts").splitlines() if line.split()[2] == "cgroup2"]
    if own is None or not tops:
        return []
    return [f"cgroup {path}" for path in Path(tops[0] + own).glob("weir.*") if path.name.split(".")[1] in pids]


def temporary_files(cache):
    """After a successful build and a gc nothing is under way: no session, no pin, no build directory but those of failures."""
    found = [*cache.glob("store/tmp/*"), *cache.glob("store/runs/*")]
    for run in cache.glob("projects/*/runs/*"):
        if '"ev":"run.end"' not in read(run / "events.jsonl"):
            found += run.glob("elements/*")
    return [f"file {path}" for path in found]


def eventually_none(find, seconds=5):
    """What is still found when the time is over; the kernel ends the processes of a killed namespace on its own."""
    end = time.monotonic() + seconds
    while (found := find()) and time.monotonic() < end:
        time.sleep(0.05)
    return found
