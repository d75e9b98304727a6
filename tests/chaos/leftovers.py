"""Processes, mounts, cgroups and temporary files that weir left behind."""
import os
import re
import time
from pathlib import Path

from chaos.process import read


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def holds(pid, folder, own):
    """Whether a process has to do with a round: its environment and words (unless it has others), its folder, files or mounts."""
    if f"WEIR_CHAOS={folder}\0" in read(f"/proc/{pid}/environ") or f"{folder}/" in read(f"/proc/{pid}/cmdline"):
        return True
    links = [f"/proc/{pid}/cwd", f"/proc/{pid}/root", f"/proc/{pid}/exe", *(str(path) for path in Path(f"/proc/{pid}").glob("fd/*"))]
    if any(link(path).startswith(f"{folder}/") for path in links):
        return True
    return link(f"/proc/{pid}/ns/mnt") != link("/proc/self/ns/mnt") and bool(mounts(folder, own, pid))


def processes(folder, own):
    """Processes that were started for a round."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and int(entry) != os.getpid() and holds(entry, folder, own):
                found.append(f"process {entry}: " + read(f"/proc/{entry}/cmdline").replace("\0", " ").strip())
        except OSError:
            pass  # it ended meanwhile
    return found


def mounts(folder, own, pid="self"):
    """Mounts of or on something in the folder, in the mount namespace of a process."""
    found = []
    for line in read(f"/proc/{pid}/mountinfo").splitlines():
        words = line.split()
        if len(words) > 4 and words[4] not in own and any(word.startswith(f"{folder}/") for word in words[3:5]):
            found.append(f"mount {words[4]}")
    return found


def cgroups(pids):
    own = next((line[3:] for line in read("/proc/self/cgroup").splitlines() if line.startswith("0::")), None)
    tops = [line.split()[1] for line in read("/proc/self/mounts").splitlines() if line.split()[2] == "cgroup2"]
    if own is None or not tops:
        return []
    return [f"cgroup {path}" for path in Path(tops[0] + own).glob("weir.*") if path.name.split(".")[1] in pids]


def temporary_files(folders):
    """After a successful build and a gc nothing is under way: no session, no pin, no build directory but those of failures."""
    cache = folders.cache
    found = [*cache.glob("store/tmp/*"), *cache.glob("store/runs/*"), *folders.temporary.iterdir(), *folders.home.iterdir()]
    # Files that are written beside their place and renamed have the number of their process in their names.
    for place in (cache.glob("*"), cache.glob("snapshots/*"), cache.glob("remotes/*"), cache.glob("projects/*/*"), folders.project.glob("*")):
        found += [path for path in place if re.search(r"\.[0-9]+(\.tmp|\.new)?$", path.name)]
    for run in cache.glob("projects/*/runs/*"):
        events = read(run / "events.jsonl")
        failed = re.findall(r'"ev":"job.end","job":\d+,"element":"([^"]*)","queue":"build","result":"failed"', events)
        if '"ev":"run.end"' not in events:
            found += [path for path in run.glob("elements/*") if path.name not in failed]
    return [f"file {path}" for path in found]


def eventually_none(find, seconds=5):
    """What is still found when the time is over; the kernel ends the processes of a killed namespace on its own."""
    end = time.monotonic() + seconds
    while (found := find()) and time.monotonic() < end:
        time.sleep(0.05)
    return found
