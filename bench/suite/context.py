"""What every workload needs: where to work, with what environment, which programs, how often."""
import itertools
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from suite.measure import Command


@dataclass
class Context:
    work: Path
    weir: str
    rounds: int
    sizes: list
    jobs: int  # of the cold rows
    sandboxed: tuple  # elements for weir and for BuildStream
    peers: dict = field(default_factory=dict)
    numbers: itertools.count = field(default_factory=itertools.count)

    def environment(self):
        """Nothing of the user's: neither settings nor caches are read or written."""
        home = self.work / "home"
        home.mkdir(parents=True, exist_ok=True)
        return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": str(home),
                "XDG_CACHE_HOME": str(home / ".cache"), "XDG_CONFIG_HOME": str(home / ".config"),
                "WEIR_CACHE_DIR": str(home / "weir"), "WEIR_TRUST": "1"}

    def fresh(self, name):
        """A folder that was never used. Those of earlier rounds stay until the end: removing many files slows down what follows."""
        folder = self.work / f"{name}-{next(self.numbers)}"
        folder.mkdir(parents=True)
        return folder

    def command(self, label, argv, **more):
        return Command(label, argv, self.environment(), log=str(self.work / "output"), **more)

    def weir_build(self, label, root, *arguments, cache=None, **more):
        command = self.command(label, [self.weir, "-C", str(root), "build", *arguments], **more)
        if cache:
            command.env["WEIR_CACHE_DIR"] = str(cache)
        return command

    def say(self, text):
        print(text, file=sys.stderr, flush=True)
