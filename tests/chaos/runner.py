"""Rounds until the time is over, and the totals."""
import collections
import faulthandler
import os
import shutil
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from chaos.faults import Plan
from chaos.rounds import ORIGINS, Round

CLASSES = ("wrong artifact", "hang", "crash", "leftover", "failed recovery", "file without faults", "no comparison")
LONG_RUN = 50  # rounds, after which each origin must have been compared
ROUND_SECONDS = 300  # more than any round takes: then this program itself hangs, and its stacks say where


class Totals:
    def __init__(self):
        self.guard = threading.Lock()
        self.rounds = 0
        self.next_round = 0
        self.weirs = 0
        self.resumed = 0
        self.compared = collections.Counter()
        self.faults = collections.Counter()
        self.findings = collections.Counter()

    def add(self, one):
        with self.guard:
            self.rounds += 1
            self.weirs += one.weirs
            self.resumed += one.server.resumed
            self.compared.update(one.compared)
            self.faults.update(one.faults)
            self.findings.update(kind for kind, _ in one.findings)


def report(number, seed, one):
    for kind, text in one.findings:
        print(f"FOUND {kind}: seed {seed} round {number} (alone: --seed {seed + number} --rounds 1): {one.folders.round}\n"
              + "\n".join("    " + line for line in text.splitlines()), flush=True)


def run_round(number, arguments, top, totals):
    one = Round(arguments.seed + number, Path(top) / f"round-{number}", arguments.weir, Plan(arguments.faults))
    one.run()
    totals.add(one)
    report(number, arguments.seed, one)
    print(f"round {number}: {one.summary()}", flush=True)
    if not one.findings and not arguments.keep:
        one.remove()


def work(arguments, top, totals, end):
    while time.monotonic() < end:
        with totals.guard:
            number = totals.next_round
            totals.next_round += 1
        if arguments.rounds is not None and number >= arguments.rounds:
            return
        run_round(number, arguments, top, totals)


def run(arguments):
    arguments.weir = os.path.abspath(arguments.weir)
    top = tempfile.mkdtemp(prefix="weir-chaos-")
    print(f"seed {arguments.seed}, {arguments.seconds:g} s, {arguments.weir}, folders in {top}", flush=True)
    totals = Totals()
    faulthandler.dump_traceback_later(arguments.seconds + ROUND_SECONDS, exit=True)
    end = time.monotonic() + arguments.seconds
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for worker in [pool.submit(work, arguments, top, totals, end) for _ in range(arguments.jobs)]:
            worker.result()
    if not os.listdir(top):
        shutil.rmtree(top)
    return summary(totals)


def summary(totals):
    for kind, count in sorted(totals.faults.items()):
        print(f"fault {kind}: {count}")
    print(f"{totals.weirs} weir processes, {totals.resumed} resumed downloads")
    for origin in ORIGINS:
        print(f"compared {origin}: {totals.compared[origin]}")
        if totals.rounds >= LONG_RUN and totals.compared[origin] == 0:
            totals.findings["no comparison"] += 1
    for kind in CLASSES:
        print(f"found {kind}: {totals.findings[kind]}")
    found = totals.findings
    print(f"{totals.rounds} rounds, {sum(totals.faults.values())} faults, {found['wrong artifact']} wrong artifacts, {found['hang']} hangs, "
          f"{found['crash']} crashes, {found['leftover']} leftovers")
    return 1 if sum(found.values()) else 0
