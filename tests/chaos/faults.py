"""Faults: damage to the files that weir owns, and kills. A fault is planned from random numbers alone; which file or process
that means is decided when it happens."""
import fnmatch
import os
import re
import shutil
import signal
from pathlib import Path

FILES = {  # below the cache; a file that matches none of these and none of NOT_DAMAGED is reported
    "object": ["store/objects/*/*"],
    "record": ["store/records/*"],
    "stage": ["store/stage/*/*/**/*"],
    "stat-index": ["store/stat/*"],
    "snapshot": ["snapshots/*"],
    "mirror": ["sources/git/*/*", "sources/git/*/refs/**/*"],
    "mirror-object": ["sources/git/*/objects/*/*"],
    "download": ["sources/downloads/**/*"],
    "mirror-lock": ["sources/git/*.lock"],
    "learnt": ["projects/*/*", "host-tools", "store/checksums"],
    "failure": ["projects/*/failures/*"],
    "learnt-lock": ["projects/*/*.lock"],
    "run": ["projects/*/runs/*/events.jsonl", "projects/*/runs/*/logs/*", "projects/*/runs/*/control"],
    "remote-note": ["remotes/**/*"],
    "store-state": ["store/epoch", "store/generation", "store/boot", "store/verified"],
    "store-lock": ["store/lock", "store/turnstile", "store/locks/*"],
    "pin": ["store/runs/*"],
}
# In the hands of a running job or process: to change these is to change what a command sees or writes.
NOT_DAMAGED = ["store/tmp/**/*", "projects/*/runs/*/elements/**/*", "projects/*/bare/**/*", "filler"]
DAMAGES = ("flip", "truncate", "grow", "delete", "symlink", "dangling", "folder", "fifo", "chmod", "old", "swap")
REMEMBERED = ("record", "stat-index", "snapshot", "mirror", "learnt", "remote-note", "store-state")  # "old" needs a copy
GIT_LOCKS = ("HEAD", "config", "shallow", "packed-refs", "FETCH_HEAD", "index")  # git locks a file by creating FILE.lock
# A user's own file (an old copy of weir.lock is a valid choice of older sources), the file without which weir refuses to take a
# folder for its store, and a folder that others write to. The first two are restored before the recovery.
OUTSIDE = {"weir.lock": ("flip", "truncate", "delete"), "store-format": ("flip", "truncate", "grow", "delete", "folder", "fifo"),
           "remote-dir": ("flip", "truncate", "grow", "delete", "symlink", "dangling", "folder", "fifo", "chmod")}
GROWN_BYTES = (1, 4096, 1 << 40)  # a sparse file of 1 TiB must not be read as a whole, here neither
COPIED_BYTES = 64 << 20  # more than any file that has not grown
# Most of a cache is content; what makes weir refuse to do anything hides the other faults of its phase.
WEIGHTS = {"object": 4, "stage": 4, "mirror-object": 3, "record": 2, "weir.lock": 0.5, "store-format": 0.2}


def all_kinds():
    kinds = [f"{damage} {files}" for files in FILES for damage in DAMAGES if damage != "old" or files in REMEMBERED]
    kinds += [f"{damage} {files}" for files, damages in OUTSIDE.items() for damage in damages]
    return kinds + ["stale git-lock", "kill weir", "kill helper", "full disk", "file limit", "bad server"]


def matcher(patterns):
    """As globs: * is one name or part of it, ** any number of folders."""
    parts = [re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*") for pattern in patterns]
    return re.compile("|".join(parts))


MATCHERS = {files: matcher(patterns) for files, patterns in FILES.items()}


def files_below(folder):
    """Relative names of everything but folders."""
    found = []
    for top, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(top, name))]
        found += [os.path.relpath(os.path.join(top, name), folder) for name in files + links]
    return sorted(found)


def not_listed(cache, touched):
    """Files that no kind of damage would reach. A damage may have put a folder in the place of a file."""
    known = matcher([pattern for patterns in [*FILES.values(), NOT_DAMAGED] for pattern in patterns] + ["store/format"])
    return [name for name in files_below(cache) if not known.fullmatch(name) and str(cache / name).removesuffix("/inner") not in touched]


class Plan:
    """The faults that a run may choose from."""

    def __init__(self, pattern):
        self.kinds = [kind for kind in all_kinds() if any(fnmatch.fnmatch(kind, one) for one in pattern.split(","))]

    def has(self, kind):
        return kind in self.kinds

    def damages(self, rng, count):
        """(kind, number that chooses the file, number that chooses the byte)"""
        kinds = [kind for kind in self.kinds if kind.split()[0] in DAMAGES + ("stale",)]
        by_files = {}
        for kind in kinds:
            by_files.setdefault(kind.split()[1], []).append(kind)
        chosen = []
        for _ in range(count if kinds else 0):
            files = rng.choices(sorted(by_files), [WEIGHTS.get(files, 1) for files in sorted(by_files)])[0]
            chosen.append((rng.choice(by_files[files]), rng.random(), rng.random()))
        return chosen


class Damager:
    def __init__(self, folders, log):
        self.folders, self.log = folders, log
        self.old = {}  # contents of earlier phases, by path
        self.touched = set()
        self.siblings = []  # of the file that is damaged
        self.jobs_run = False
        self.restorable = {}  # contents before the damage, by path
        self.number = 0

    def _candidates(self, files):
        if files == "weir.lock":
            found = [self.folders.project / "weir.lock"]
        elif files == "remote-dir":
            found = self.folders.remote_dir.glob("**/*")
        elif files == "store-format":
            found = [self.folders.cache / "store/format"]
        else:
            found = [self.folders.cache / name for name in files_below(self.folders.cache) if MATCHERS[files].fullmatch(name)]
        return sorted(str(path) for path in found if path.is_file() and not path.is_symlink())

    def remember(self):
        for files in REMEMBERED:
            for path in self._candidates(files):
                try:
                    if os.stat(path).st_size <= COPIED_BYTES:
                        self.old[path] = Path(path).read_bytes()
                except OSError:
                    pass

    def apply(self, kind, where, at):
        """The path that was damaged, or nothing: there was none, or it vanished meanwhile."""
        damage, files = kind.split()
        try:
            if damage == "stale":
                return self._stale_lock(where, at)
            candidates = sorted(self.old) if damage == "old" else self._candidates(files)
            if damage == "old":
                candidates = [path for path in candidates if self._is_kind(path, files)]
            if not candidates:
                return None
            path = candidates[int(where * len(candidates))]
            self.siblings = candidates
            if files == "store-format" and os.stat(path).st_size <= COPIED_BYTES:
                self.restorable.setdefault(path, Path(path).read_bytes())
            getattr(self, "_" + damage)(path, at)
        except OSError:
            return None
        self.touched.add(path)
        self.log(f"{kind}: {path}")
        return path

    def restore(self):
        for path, content in self.restorable.items():
            put(path, content)
        self.restorable.clear()

    def _is_kind(self, path, files):
        return bool(MATCHERS[files].fullmatch(os.path.relpath(path, self.folders.cache)))

    def _stale_lock(self, where, at):
        mirrors = sorted(path for path in self.folders.cache.glob("sources/git/*") if path.is_dir())
        if not mirrors:
            return None
        mirror = mirrors[int(where * len(mirrors))]
        # Of a git that was killed: any file it may write, and a ref for any commit it may have fetched.
        refs = sorted(f"refs/weir/{head.read_text().strip()}" for head in self.folders.upstream.glob("*/.git/refs/heads/main"))
        names = [*GIT_LOCKS, *refs]
        path = mirror / (names[int(at * len(names))] + ".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.log(f"stale git-lock: {path}")
        return str(path)

    @staticmethod
    def _writable(path):
        mode = os.stat(path).st_mode
        os.chmod(path, mode | 0o200)
        return mode

    def _flip(self, path, at):
        status = os.stat(path)
        if status.st_size == 0:
            raise OSError
        mode = self._writable(path)
        with open(path, "r+b") as file:
            offset = int(at * status.st_size)
            file.seek(offset)
            byte = file.read(1)[0]
            file.seek(offset)
            file.write(bytes([byte ^ (1 << int(at * 997) % 8)]))
        os.chmod(path, mode)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _truncate(self, path, at):
        mode = self._writable(path)
        os.truncate(path, int(at * os.stat(path).st_size))
        os.chmod(path, mode)

    def _grow(self, path, at):
        mode = self._writable(path)
        more = GROWN_BYTES[int(at * len(GROWN_BYTES))]
        if self.jobs_run and (self._is_kind(path, "stage") or self._is_kind(path, "object")):
            more = min(GROWN_BYTES)  # a command that reads a file of 1 TiB takes its time, and may copy it
        os.truncate(path, os.stat(path).st_size + more)
        os.chmod(path, mode)

    def _delete(self, path, _):
        os.unlink(path)

    def _symlink(self, path, _):
        if os.stat(path).st_size > COPIED_BYTES:
            raise OSError
        self.number += 1
        away = self.folders.round / "elsewhere" / str(self.number)
        away.parent.mkdir(exist_ok=True)
        shutil.copy2(path, away)
        os.unlink(path)
        os.symlink(away, path)

    def _swap(self, path, at):
        others = [other for other in self.siblings if other != path]
        if not others:
            raise OSError
        put(path, Path(others[int(at * len(others))]).read_bytes())

    def _dangling(self, path, _):
        os.unlink(path)
        os.symlink("/nonexistent/of-chaos", path)

    def _folder(self, path, _):
        os.unlink(path)
        os.mkdir(path)
        (Path(path) / "inner").write_text("not of weir\n")

    def _fifo(self, path, _):
        os.unlink(path)
        os.mkfifo(path)

    def _chmod(self, path, _):
        os.chmod(path, 0)

    def _old(self, path, _):
        put(path, self.old[path])


def put(path, content):
    """A new file, whatever an earlier damage left in its place."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        Path(path).unlink(missing_ok=True)
    Path(path).write_bytes(content)


def children_of(pids):
    """All processes below these, with their names."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            name, rest = text[text.index("(") + 1: text.rindex(")")], text[text.rindex(")") + 2:].split()
            parents[int(entry)] = (int(rest[1]), name)
    found, grown = {}, True
    known = set(pids)
    while grown:
        grown = False
        for pid, (parent, name) in parents.items():
            if parent in known and pid not in known:
                known.add(pid)
                found[pid] = name
                grown = True
    return found


def kill_helper(pids, where):
    """kill -9 of a git, weir-init, weir-transfer or anything else that weir started; its name."""
    below = sorted(children_of(pids).items())
    if not below:
        return None
    pid, name = below[int(where * len(below))]
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return None
    return name
