"""One round: a random project, then some phases of edit, damage, several weirs at once under faults, and recovery."""
import collections
import os
import random
import shutil
import subprocess
import time

from chaos import faults, leftovers, oracle
from chaos.process import Weir
from chaos.projects import Project
from chaos.servers import Server

PHASES = 3
RECOVERIES = 4  # each may meet damage that the one before did not get to
DISK_BYTES = 24 << 20
FILE_LIMITS = (40_000, 1_500_000)  # the larger ones let a fetch begin and meet its large files
SOURCES, BESIDE, CACHED, RECOVERED = "sources with a build from clean", "a checkout beside others", "the cache", "the cache after recovery"
PULLED = {"dir": "a pull from dir", "http": "a pull from http"}
ORIGINS = (SOURCES, BESIDE, CACHED, RECOVERED, *PULLED.values())  # of what is compared


class Folders:
    def __init__(self, top):
        self.round = top
        for name in ("project", "cache", "remote_dir", "http", "home", "logs", "out", "temporary"):
            setattr(self, name, top / name.replace("_", "-"))
            getattr(self, name).mkdir(parents=True)
        self.upstream = self.http / "up"  # archives are downloaded from the server


class Round:
    def __init__(self, seed, top, program, plan):
        self.rng = random.Random(seed)
        self.program, self.plan = program, plan
        self.folders = Folders(top)
        self.server = Server(self.folders.http, seed)
        self.faults = collections.Counter()
        self.findings = []
        self.compared = collections.Counter()  # by origin
        self.weirs = 0
        self.checkouts = 0
        self.pids = set()
        self.started = time.monotonic()
        self.damager = faults.Damager(self.folders, self._note)
        self.is_mounted = plan.has("full disk") and self.rng.random() < 0.25 and self._mount()
        self.expected = {}
        self.jobs_may_fail = False

    # Bookkeeping
    def _note(self, text):
        with open(self.folders.round / "history", "a", encoding="utf-8") as file:
            file.write(f"{time.monotonic() - self.started:7.3f} {text}\n")

    def _count(self, kind, text=""):
        self.faults[kind] += 1
        if text:
            self._note(f"{kind}: {text}")

    def _found(self, kind, text):
        self.findings.append((kind, text))
        self._note(f"FOUND {kind}: {text}")

    def summary(self):
        return (f"{len(self.project.elements)} elements, sandbox {self.project.sandbox}, {self.weirs} weirs, {sum(self.faults.values())} faults, "
                f"{len(self.findings)} findings, {time.monotonic() - self.started:.1f} s")

    def _mount(self):
        if os.geteuid() != 0:
            return False
        words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "weir-chaos", str(self.folders.cache)]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    def _unmount(self):
        copy = self.folders.round / "cache-of-tmpfs"
        if self.findings:
            subprocess.run(["cp", "-a", str(self.folders.cache), str(copy)], check=False)
        subprocess.run(["umount", "--lazy", str(self.folders.cache)], check=False)

    def remove(self):
        shutil.rmtree(self.folders.round, ignore_errors=True)

    # Processes
    def _start(self, *words, **more):
        weir = Weir(self.program, self.folders, words, **more)
        self.weirs += 1
        self.pids.add(str(weir.pid))
        self._note(f"start {weir.pid}: {' '.join(weir.words)}" + (" with a file limit" if more.get("file_limit") else ""))
        return weir

    def _judge(self, weir):
        self._note(f"exit {weir.exit} of {weir.pid}" + (", killed" if weir.killed else ""))
        if weir.hung:
            self._found("hang", f"{' '.join(weir.words)}: {weir.log}.hang")
        elif weir.crashed():
            self._found("crash", f"{' '.join(weir.words)}: exit {weir.exit}: {weir.log}\n{weir.text()[-600:]}")
        return weir

    def _weir(self, *words, **more):
        return self._judge(self._start(*words, **more).wait())

    # The round
    def run(self):
        self.project = Project(self.rng, self.folders.project, self.folders.upstream, self.server.url, self._remotes())
        try:
            for phase in range(PHASES):
                self._phase(phase)
                if self.findings:
                    break
        finally:
            self.server.stop()
            self.faults.update({f"bad server: {kind}": count for kind, count in self.server.faults.items()})
            if self.is_mounted:
                self._unmount()

    def _remotes(self):
        self.remote_urls = {"dir": f"dir:{self.folders.remote_dir}", "http": self.server.url}
        return [self.remote_urls[name] for name in self.rng.choice([[], ["dir"], ["http"], ["dir", "http"], ["http", "dir"]])]

    def _phase(self, phase):
        edits = self.project.change() if phase else ["new"]
        self._note(f"phase {phase}: {', '.join(edits)}")
        self._reference(phase)
        if self.findings:
            return
        for kind, where, at in self.plan.damages(self.rng, self.rng.randint(0, 6) if phase else 0):
            if self.damager.apply(kind, where, at):
                self._count(kind)
        self._storm()
        steps = (self._check_artifacts, self._check_uploads, self._recover, self._check_uploads, self._check_remotes,
                 self._check_leftovers)
        for step in steps:
            if self.findings:
                return
            step()
        self.damager.remember()

    def _reference(self, phase):
        """What a build from clean gives, in a cache of its own."""
        cache = self.folders.round / f"reference-{phase}"
        for words in (["track"], ["build", "--no-remote"]):
            weir = self._weir("-q", *words, cache=cache)
            if weir.exit != 0:
                self._found("failed recovery", f"a build from clean failed: {weir.log}\n{weir.text()[-1500:]}")
                return
        self.lock = (self.folders.project / "weir.lock").read_bytes() if (self.folders.project / "weir.lock").exists() else None
        self.expected = {name: self._checkout(name, cache)[1] for name in self.project.names}
        shutil.rmtree(cache)
        for name, seen in self.expected.items():
            self._compare_sources(name, seen)

    def _checkout(self, name, cache=None):
        self.checkouts += 1
        out = self.folders.out / f"{self.checkouts}-{name}"
        weir = self._weir("-q", "checkout", name, out, "--deps", "run", **({"cache": cache} if cache else {}))
        seen = oracle.picture(out) if weir.exit == 0 else None
        shutil.rmtree(out, ignore_errors=True) if seen is None or seen == self.expected.get(name, seen) else None
        return weir, seen

    def _compare_sources(self, name, seen):
        if seen is None:
            self._found("failed recovery", f"{name} of a build from clean cannot be checked out")
            return
        sources = self.project.source_files(name)
        self.compared[SOURCES] += len(sources)
        lines = oracle.missing_sources(sources, seen)
        if lines:
            self._found("wrong artifact", f"{name} of a build from clean\n" + "\n".join(lines))

    def _compare(self, name, weir, seen, origin):
        self.compared[origin] += 1
        lines = oracle.difference(self.expected[name], seen)
        if lines:
            self._found("wrong artifact", f"{name} of {origin}: {weir.log}\n" + "\n".join(lines))

    # Several weirs at once
    def _random_words(self, rng):
        targets = rng.sample(self.project.names, rng.randint(0, 2))
        one = rng.choice(self.project.names)
        self.checkouts += 1
        return rng.choice([
            ["build", *targets], ["build", *targets], ["build", *targets], ["build", "--on-error", "continue"], ["build", "--no-remote", one],
            ["build", "--force", one], ["build", "--track"], ["build", "--retry-failed"], ["fetch", *targets], ["track"], ["push", *targets],
            ["pull", *targets], ["checkout", one, self.folders.out / f"{self.checkouts}-storm-{one}", "--deps", "run"], ["cache", "gc"],
            ["cache", "gc", "--quota", rng.choice(["1K", "100K"])], ["cache", "verify"], ["cache", "stat"], ["show"], ["why", one],
            ["ctl", "status"], ["ctl", "cancel", one], ["ctl", "set", "tokens", '{"process": 1}'],
        ])

    def _planned_faults(self, rng):
        """(delay since the one before, kind, two numbers)"""
        kinds = [kind for kind in ("kill weir", "kill weir", "kill helper", "full disk") if self.plan.has(kind)]
        planned = [(rng.random() * 0.15, kind, rng.random(), rng.random()) for kind in kinds if rng.random() < 0.6]
        planned += [(rng.random() * 0.1, *damage) for damage in self.plan.damages(rng, rng.choice([0, 1, 3, 5]))]
        rng.shuffle(planned)
        return planned

    def _file_limit(self):
        is_limited = self.plan.has("file limit") and self.rng.random() < 0.08
        return self.rng.randint(1, self.rng.choice(FILE_LIMITS)) if is_limited else None

    def _storm(self):
        self.damager.jobs_run = True
        planned = self._planned_faults(self.rng)
        all_words = [self._random_words(self.rng) for _ in range(self.rng.randint(2, 6))]
        limits = [self._file_limit() for _ in all_words]
        if self.plan.has("bad server") and self.rng.random() < 0.7:
            self.server.misbehave(self.rng.choice([0.05, 0.3, 1.0]))
        running = []
        for words, limit in zip(all_words, limits):
            running.append(self._start(*words, file_limit=limit))
            if limit:
                self._count("file limit")
                self.jobs_may_fail = True
        for delay, kind, where, at in planned:
            time.sleep(delay)
            self._strike(running, kind, where, at)
        for weir in running:
            self._judge(weir.wait())
        self.server.behave()
        (self.folders.cache / "filler").unlink(missing_ok=True)
        self.damager.jobs_run = False
        self._check_storm_checkouts(running)

    def _strike(self, running, kind, where, at):
        alive = [weir for weir in running if weir.is_running()]
        if kind == "kill weir" and alive:
            victim = alive[int(where * len(alive))]
            steps = victim.steps()
            victim.kill()
            self._count(f"{kind} in {steps}", f"{victim.pid} {' '.join(victim.words)}")
        elif kind == "kill helper" and alive:
            name = faults.kill_helper([weir.pid for weir in alive], where)
            if name:
                self._count(f"kill {name}", "by name")
                self.jobs_may_fail = True
        elif kind == "full disk" and self.is_mounted:
            self._fill(int(at * 200_000))
            self.jobs_may_fail = True
        elif kind not in ("kill weir", "kill helper", "full disk") and self.damager.apply(kind, where, at):
            self._count(kind)

    def _fill(self, left):
        self._count("full disk", f"{left} bytes left")
        status = os.statvfs(self.folders.cache)
        with open(self.folders.cache / "filler", "wb", buffering=0) as file:
            try:
                os.posix_fallocate(file.fileno(), 0, max(1, status.f_bavail * status.f_frsize - left))
            except OSError:
                pass

    # Checks
    def _check_storm_checkouts(self, running):
        for weir in running:
            if weir.exit == 0 and weir.words[0] == "checkout":
                self._compare(weir.words[1], weir, oracle.picture(weir.words[2]), BESIDE)

    def _check_artifacts(self):
        for name in self.project.names:
            weir, seen = self._checkout(name)
            if weir.hung:
                return  # so would the others
            if seen is not None:
                self._compare(name, weir, seen, CACHED)

    def _check_uploads(self):
        for name in self.server.wrong_uploads:
            self._found("wrong artifact", f"uploaded as /cas/{name}: other bytes")
        for path in oracle.wrong_blobs(self.folders.remote_dir, self.damager.touched):
            self._found("wrong artifact", f"pushed other bytes to {path}")

    def _recover(self):
        if self.lock is not None:
            (self.folders.project / "weir.lock").write_bytes(self.lock)
        self.damager.restore()
        # A command that was killed, or had no room to write, has failed, and that is remembered. Damage alone must not
        # lead to that: then a plain build has to do.
        again = ["build", "--retry-failed"] if self.jobs_may_fail else ["build"]
        for attempt in range(RECOVERIES):
            problems = self._build_and_check_out(again if attempt else ["build"])
            if self.findings or not problems:
                return
            self._note(f"recovery {attempt} failed: {problems[0]}")
        self._found("failed recovery", "\n".join(problems))

    def _build_and_check_out(self, words):
        """Errors. Damage that is met fails a command, which drops it; an up-to-date build does not look for it at all."""
        weir = self._weir(*words)
        if weir.exit != 0:
            return [f"exit {weir.exit}: {weir.log}\n{weir.text()[-1500:]}"]
        problems = []
        for name in self.project.names:
            weir, seen = self._checkout(name)
            if weir.hung:
                break
            if seen is None:
                problems.append(f"{name} is built and cannot be checked out: {weir.log}\n{weir.text()[-600:]}")
            else:
                self._compare(name, weir, seen, RECOVERED)
        return problems

    def _check_remotes(self):
        """Another machine that pulls gets the same, or nothing."""
        for url in self.project.remotes:
            name = self.rng.choice(self.project.names)
            cache = self.folders.round / "puller"
            if self._weir("-q", "pull", "--remote", url, name, cache=cache).exit == 0:
                weir, seen = self._checkout(name, cache)
                if seen is not None:
                    self._compare(name, weir, seen, PULLED[url.split(":")[0]])
            shutil.rmtree(cache, ignore_errors=True)

    def _check_leftovers(self):
        for words in (["track"], ["cache", "gc"]):  # these remove what a killed process left
            self._weir(*words)
        own = [str(self.folders.cache)] if self.is_mounted else []
        found = leftovers.eventually_none(lambda: leftovers.processes(self.folders.round, own) + leftovers.mounts(self.folders.round, own)
                                          + leftovers.cgroups(self.pids))
        found += leftovers.temporary_files(self.folders)
        if found:
            self._found("leftover", "\n".join(found[:10]))
        found = faults.not_listed(self.folders.cache, self.damager.touched)
        if found:
            self._found("file without faults", "\n".join(found[:10]))
