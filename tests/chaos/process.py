"""One weir process: started with a clean environment, its output in files, ended if it hangs."""
import collections
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

HANG_SECONDS = 30
EXPECTED_EXITS = {0, 1, 2, 3, 4, 5, 130, 143}


def environment(folders, cache, programs=None):
    path = f"{programs}:{os.environ['PATH']}" if programs else os.environ["PATH"]
    return {"PATH": path, "HOME": str(folders.home), "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
            "WEIR_CACHE_DIR": str(cache), "WEIR_CHAOS": str(folders.round), "WEIR_TRUST": "1", "TMPDIR": str(folders.temporary), "no_proxy": "*"}


def limit_files(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writes fail with EFBIG, as on a full disk with ENOSPC
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def limited_programs(folders):
    """weir gives its jobs the signals of a login shell: this git meets errors of writes like those of a full disk, and no signal."""
    folder = folders.round / "programs"
    folder.mkdir(exist_ok=True)
    program = folder / "git"
    if not program.exists():
        program.write_text(f"#!/bin/sh\ntrap '' XFSZ\nexec {shutil.which('git')} \"$@\"\n")
        program.chmod(0o755)
    return folder


class Weir:
    count = 0

    def __init__(self, program, folders, words, cache=None, file_limit=None):
        Weir.count += 1
        self.words = [str(word) for word in words]
        self.killed = False
        self.hung = False
        self.folders = folders
        self.log = folders.logs / f"{Weir.count:04}-{'-'.join(self.words[:2]).replace('/', '_')}"
        self.log.with_suffix(".words").write_text(f"WEIR_CACHE_DIR={cache or folders.cache} weir {' '.join(self.words)}\n")
        with open(self.log.with_suffix(".out"), "wb") as out, open(self.log.with_suffix(".err"), "wb") as err:
            self.process = subprocess.Popen([program, *self.words], cwd=folders.project, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=err, start_new_session=True, env=environment(folders, cache or folders.cache,
                                                limited_programs(folders) if file_limit else None),
                                            preexec_fn=limit_files(file_limit) if file_limit else None)
        self.started = time.monotonic()

    @property
    def pid(self):
        return self.process.pid

    @property
    def exit(self):
        return self.process.returncode

    def is_running(self):
        return self.process.poll() is None

    def text(self):
        return "".join(self.log.with_suffix(end).read_text(errors="replace") for end in (".out", ".err"))

    def steps(self):
        """The steps under way by its output ("build", "fetch+pull"), or where it is without any."""
        running = collections.Counter()
        for line in self.text().splitlines():
            words = line.split()
            if len(words) > 1 and words[0] in ("start", "done", "FAILED", "retry"):
                running[words[1]] += 1 if words[0] == "start" else -1
        return "+".join(sorted(step for step, count in running.items() if count > 0)) or self.words[0]

    def kill(self):
        if self.is_running():
            self.killed = True
            self.process.send_signal(signal.SIGKILL)

    def end_if_hung(self):
        if self.is_running() and time.monotonic() - self.started > HANG_SECONDS:
            self.hung = True
            self._keep_state()
            self.process.kill()

    def wait(self):
        while True:
            try:
                self.process.wait(0.5)
                break
            except subprocess.TimeoutExpired:
                self.end_if_hung()
        self.log.with_suffix(".exit").write_text(f"{self.exit}\n")
        return self

    def crashed(self):
        return not self.killed and not self.hung and self.exit not in EXPECTED_EXITS

    def _keep_state(self):
        from chaos.faults import children_of
        keep = self.log.with_suffix(".hang")
        keep.mkdir(exist_ok=True)
        for pid in [self.pid, *children_of([self.pid])]:
            for task in Path(f"/proc/{pid}/task").glob("*"):
                lines = [f"{name}: {read(task / name)}" for name in ("comm", "wchan", "syscall", "stack", "status")]
                (keep / f"{pid}-{task.name}").write_text("\n".join(lines))
            links = [f"{link.name} -> {os.readlink(link)}" for link in Path(f"/proc/{pid}/fd").glob("*") if link.is_symlink()]
            (keep / f"{pid}-fd").write_text(read(f"/proc/{pid}/cmdline").replace("\0", " ") + "\n" + "\n".join(links))
        if shutil.which("gdb"):
            shown = subprocess.run(["gdb", "-p", str(self.pid), "-batch", "-ex", "thread apply all bt"], capture_output=True, check=False)
            (keep / "gdb").write_bytes(shown.stdout)


def read(path):
    """Empty if it is no file that can be read: a fault may have put a FIFO there. A grown file is read in part."""
    try:
        if not Path(path).is_file():
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(64 << 20)
    except OSError:
        return ""
