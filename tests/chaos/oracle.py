"""Expected artifacts, and comparison with them."""
import hashlib
import os
import stat
from pathlib import Path


def picture(folder):
    """Paths, modes, contents and link targets of a folder."""
    found = {}
    for top, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(top, name)
            status = os.lstat(path)
            line = f"{stat.S_IFMT(status.st_mode):o} {stat.S_IMODE(status.st_mode):o}"
            if stat.S_ISLNK(status.st_mode):
                line += f" -> {os.readlink(path)}"
            elif stat.S_ISREG(status.st_mode):
                data = Path(path).read_bytes()
                line += f" {len(data)} {hashlib.sha256(data).hexdigest()[:16]}"
            found[os.path.relpath(path, folder)] = line
    return found


def difference(expected, actual):
    """One line per path that differs, at most ten; empty if none does."""
    lines = []
    for name in sorted(expected.keys() | actual.keys()):
        if expected.get(name) != actual.get(name):
            lines.append(f"{name}: expected {expected.get(name, 'nothing')}, got {actual.get(name, 'nothing')}")
    return lines[:10]


def wrong_blobs(folder, except_for=()):
    """Names below cas/ of a remote folder whose content has another digest."""
    found = []
    for path in Path(folder).glob("**/cas/**/*"):
        if len(path.name) == 64 and path.is_file() and not path.is_symlink() and str(path) not in except_for:
            if hashlib.sha256(path.read_bytes()).hexdigest() != path.name:
                found.append(str(path))
    return found
