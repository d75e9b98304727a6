"""What is compared with: the peers that are installed, and how to get those that are not."""
import shutil
import subprocess
from dataclasses import dataclass

PACKAGES = {"ninja": "ninja-build", "make": "make", "bst": "buildstream", "valgrind": "valgrind"}


@dataclass
class Peer:
    name: str
    path: str
    version: str


def installed(environment):
    """By name, for those that are there."""
    found = {}
    for name in PACKAGES:
        path = shutil.which(name, path=environment["PATH"])
        if path:
            said = subprocess.run([path, "--version"], env=environment, capture_output=True, text=True, check=False)
            found[name] = Peer(name, path, (said.stdout or said.stderr).strip().splitlines()[0])
    return found


def missing(peers):
    """A sentence for each that is not there."""
    return [f"{name} is not installed, its rows are left out; on Debian: apt-get install {package}"
            for name, package in PACKAGES.items() if name not in peers]
