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
                line += " " + content(path, status.st_size)
            found[os.path.relpath(path, folder)] = line
    return found


def content(path, size):
    """Size and digest. No file of a project is larger than 1 GiB: there the size is enough."""
    return f"{size} {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}" if size < 1 << 30 else f"{size} not read"


def missing_sources(sources, seen):
    """One line per source file whose content is not in the artifact. Independent of weir: a build from clean may be wrong, too."""
    lines = []
    for name, path in sources.items():
        expected = content(path, os.stat(path).st_size)
        found = [line for other, line in seen.items() if other == name or other.endswith("/" + name)]
        if not any(line.endswith(" " + expected) for line in found):
            lines.append(f"{name}: expected {expected} of {path}, got {', '.join(found) or 'nothing'}")
    return lines[:10]


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
