"""Runs commands and measures them: wall time, CPU time of the command with everything it started, and, in runs of its own, peak
memory of the command's own process.

ru_maxrss does not do for memory: of a child it is the largest of it, of every program that it ran, and of this Python (a child
begins with the memory of who started it). VmHWM of /proc is the process alone, but is gone when it is reaped; so a run for memory
is traced, which stops it once, at its exit, while its memory is still there. Tracing sees every signal, which costs time: those
runs are not the timed ones."""
import ctypes
import os
import re
import shutil
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

# linux/ptrace.h; os.WALL is not there.
PTRACE_CONT, PTRACE_SEIZE = 7, 0x4206
PTRACE_O_TRACEEXIT, PTRACE_EVENT_EXIT = 0x40, 6
WALL = 0x40000000

sync_first = True  # not for a quick look: on a busy machine a sync can take as long as everything else


class Failed(Exception):
    """Something did not run, or did not do what was to be measured. The message has its output."""


@dataclass
class Sample:
    wall: float
    cpu: float
    pid: int


@dataclass
class Command:
    """What is measured. `prepare` is called before each run, untimed, and may return more environment."""
    label: str
    argv: list
    env: dict
    expect: str = ""  # a regular expression that has to be in the output: it did what it was to do
    prepare: Optional[Callable[[], Optional[dict]]] = None
    log: str = "/dev/null"
    samples: list = field(default_factory=list)
    peak: Optional[int] = None

    def wall(self):
        return statistics.median(sample.wall for sample in self.samples)

    def cpu(self):
        return statistics.median(sample.cpu for sample in self.samples)


def run(command):
    """One timed run."""
    environment = _prepared(command)
    begin = time.perf_counter()
    pid = _spawn(command.argv, environment, command.log)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    _checked(command, status)
    return Sample(wall, usage.ru_utime + usage.ru_stime + _cpu_of_orphans(), pid)


def _cpu_of_orphans(patience=1.0):
    """What the command left behind comes to this process (become_subreaper) and ends soon, or is a daemon that does not count. A
    sandbox is killed rather than waited for, so whether its CPU time is in that of the command is chance."""
    cpu, deadline = 0.0, time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid:
            cpu += usage.ru_utime + usage.ru_stime
        else:
            time.sleep(0.001)
    return cpu


def become_subreaper():
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


become_subreaper()


def peak(command):
    """Peak memory of the process itself in bytes, from a run that is not timed; None where tracing is not allowed."""
    environment = _prepared(command)
    ready, go = os.pipe()
    # The shell waits for the tracer and becomes the command, which has a fresh VmHWM.
    pid = _spawn([shutil.which("sh"), "-c", 'read _; exec "$0" "$@"', *command.argv], environment, command.log, ready)
    os.close(ready)
    traced = _ptrace(PTRACE_SEIZE, pid, PTRACE_O_TRACEEXIT)
    os.write(go, b"\n")
    os.close(go)
    high, status = None, None
    while status is None:
        _, stopped = os.waitpid(pid, WALL)
        if not os.WIFSTOPPED(stopped):
            status = stopped
        elif stopped >> 16 == PTRACE_EVENT_EXIT:
            high = _high_water(pid)
            _ptrace(PTRACE_CONT, pid, 0)
        else:
            _ptrace(PTRACE_CONT, pid, 0 if stopped >> 16 else os.WSTOPSIG(stopped))
    _checked(command, status)
    return high if traced else None


def interleaved(commands, rounds, say=lambda text: None, before_round=lambda number: None):
    """All commands once a round, each round beginning with another one, so that a slow minute hits them alike."""
    for number in range(rounds):
        before_round(number)
        turn = number % len(commands)
        for command in commands[turn:] + commands[:turn]:
            command.samples.append(run(command))
            say(f"  round {number + 1}: {command.label} {command.samples[-1].wall:.4f} s")
    for command in commands:
        command.peak = peak(command)


def ratio(command, peer):
    """The median of the ratios of wall time within each round, the lowest, the highest, and the median of those of CPU time."""
    pairs = list(zip(command.samples, peer.samples))
    each = [mine.wall / its.wall for mine, its in pairs]
    return statistics.median(each), min(each), max(each), statistics.median(mine.cpu / its.cpu for mine, its in pairs)


def settle(seconds=2.2):
    """Files that are younger than the resolution of time stamps may not be believed by any tool (git's racy rule: 2 s), and what is
    not yet on disk would be written during the next measurement."""
    if sync_first:
        os.sync()
    time.sleep(seconds)


def _prepared(command):
    more = command.prepare() if command.prepare else None
    return {**command.env, **(more or {})}


def _spawn(argv, environment, log, stdin=None):
    actions = [(os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), (os.POSIX_SPAWN_DUP2, 1, 2)]
    actions.append((os.POSIX_SPAWN_DUP2, stdin, 0) if stdin is not None else (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0))
    try:
        return os.posix_spawn(argv[0], argv, environment, file_actions=actions)
    except OSError as error:
        raise Failed(f"{argv[0]}: cannot be started: {error.strerror}") from None


def _checked(command, status):
    output = Path(command.log).read_text(errors="replace") if command.log != "/dev/null" else ""
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise Failed(f"{_shown(command)}\nended with {code}:\n{_end_of(output)}")
    if command.expect and not re.search(command.expect, output):
        raise Failed(f"{_shown(command)}\ndid something else than was to be measured (no '{command.expect}' in):\n{_end_of(output)}")


def _shown(command):
    return f"{command.label}: {' '.join(command.argv)}"


def _end_of(output):
    return output[-4000:]


def _high_water(pid):
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) * 1024 if found else None


def _ptrace(request, pid, data):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return libc.ptrace(request, pid, None, data) == 0
