"""What is done with each project: the commands, in an order that meets most of what weir does."""
import os
import random
import shutil
import subprocess
from pathlib import Path

from chaos.oracle import picture
from chaos.projects import Project
from equivalence.records import Record

LIMIT_SECONDS = 600


class Machine:
    """A folder in which one program of weir works on one project."""

    def __init__(self, folder, program):
        self.folder, self.program = Path(folder), program
        for name in ("project", "cache", "home", "out", "remote", "upstream/up"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for name in ("project", "cache", "home", "remote", "upstream/up"):
            (self.folder / name).mkdir(parents=True)
        self.records = []

    @property
    def project(self):
        return self.folder / "project"

    def weir(self, *words):
        events = self.folder / "events"
        events.unlink(missing_ok=True)
        more = ["--events", str(events)] if words[0] in ("build", "track", "fetch", "pull", "push", "test") and not {"--check", "--dry-run"} & set(words) else []
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "LC_ALL": "C", "WEIR_TRUST": "always",
                       "WEIR_CACHE_DIR": str(self.folder / "cache"), "GIT_CONFIG_NOSYSTEM": "1", "no_proxy": "*"}
        done = subprocess.run([self.program, *words, *more], cwd=self.project, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=LIMIT_SECONDS, check=False)
        self.records.append(Record(words, done.returncode, done.stdout, done.stderr,
                                   events.read_text() if events.exists() else ""))
        return self.records[-1]

    def checkout(self, *words):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        self.weir("checkout", *words, str(out))
        self.records[-1].files = picture(out) if out.exists() else {}

    def forget(self):
        """Everything that is cached, but not the remote."""
        shutil.rmtree(self.folder / "cache")
        (self.folder / "cache").mkdir()


def look(machine):
    for words in (["show"], ["show", "--json"], ["graph"], ["graph", "--reverse", "--format", "dot"], ["why"], ["build", "--dry-run"],
                  ["build", "--check"], ["build", "--check", "--json"]):
        machine.weir(*words)


class Example:
    def __init__(self, folder):
        self.source = folder

    def record(self, folder, program):
        machine = Machine(folder, program)
        shutil.copytree(self.source, machine.project, dirs_exist_ok=True, symlinks=True)
        if (machine.project / "make-upstream").exists():
            subprocess.run(["sh", "./make-upstream"], cwd=machine.project, check=True, capture_output=True)
        machine.weir("track")
        look(machine)
        machine.weir("build", "-j", "2")
        look(machine)
        machine.weir("build")
        machine.weir("checkout", "--tar", str(machine.folder / "all.tar"))
        machine.weir("build", "--force", "--json")
        machine.weir("test")
        machine.weir("log")
        machine.weir("cache", "verify")
        return machine.records


# What the projects of the chaos test do not have; each project gets one of these.
SETTINGS = ("", "", """
[pipeline]
queues = ["pull", "fetch", "build", "test", "push"]
""", """
[placement]
allocate = "load-based"
place = "cache-aware"
[[class]]
name = "all"
load = 1
requestor = ".*"
[[worker]]
name = "left"
[[worker]]
name = "right"
slots = 2
""", """
[resources]
license = 1
process = 1
[on-error]
policy = "continue"
""")


class ConfiguredProject(Project):
    def __init__(self, rng, *parts):
        self.settings = rng.choice(SETTINGS)
        super().__init__(rng, *parts)

    def write(self):
        super().write()
        with open(self.folder / "weir.toml", "a", encoding="utf-8") as file:
            file.write(self.settings)


class RandomProject:
    """A project of the chaos test with more settings and without faults."""

    def __init__(self, seed):
        self.seed = seed

    def record(self, folder, program):
        machine = Machine(folder, program)
        rng = random.Random(self.seed)
        upstream = machine.folder / "upstream"
        project = ConfiguredProject(rng, machine.project, upstream / "up", f"file://{upstream}", [f"dir:{machine.folder}/remote"])
        look(machine)
        machine.weir("track")
        look(machine)
        machine.weir("fetch")
        machine.weir("build", "-j", str(rng.randint(1, 3)))
        self.look_at_all(machine, project)
        machine.weir("build")
        for _ in range(2):
            project.change()
            machine.weir("build", "--dry-run")
            machine.weir("build", *rng.choice([[], ["--track"], ["--on-error", "continue"], ["--no-push"]]))
            machine.weir("why", rng.choice(project.names))
        self.fail_and_repair(machine, project, rng)
        self.look_at_all(machine, project)
        machine.weir("push")
        machine.forget()
        machine.weir("pull", "*")
        machine.weir("build")
        machine.weir("build", "--force", rng.choice(project.names))
        machine.weir("build", "--rebuild-check", rng.choice(project.names))
        machine.weir("cache", "verify")
        machine.weir("runs")
        return machine.records

    @staticmethod
    def look_at_all(machine, project):
        look(machine)
        for name in project.names:
            machine.checkout(name)

    @staticmethod
    def fail_and_repair(machine, project, rng):
        """The last element is a script."""
        text = (machine.project / "weir.toml").read_text()
        before, commands, after = text.rpartition("config.commands = ['''")
        (machine.project / "weir.toml").write_text(before + commands + "echo broken >&2; false && " + after)
        machine.weir("build", "--on-error", rng.choice(["continue", "quit", "terminate"]))
        machine.weir("build")
        machine.weir("build", "--retry-failed")
        machine.weir("why")
        machine.weir("log")
        machine.weir("show")
        (machine.project / "weir.toml").write_text(text.replace("kind = ", "knd = ", 1))
        machine.weir("build")
        (machine.project / "weir.toml").write_text(text)
        machine.weir("build")
