#!/usr/bin/env python3
"""bench/run on small workloads with whatever peers are installed: that it measures what it says and reports it. No check is on a
time.   bench_run_test.py WEIR"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "bench"))

from suite import graph, measure, report  # noqa: E402
from suite.growth import growth  # noqa: E402

WEIR = ""


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="weir-bench-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def bench(self, *arguments):
        return subprocess.run([sys.executable, str(TOP / "bench/run"), *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "TMPDIR": str(self.folder)})


class Run(Folder):
    def test_rows_have_figures_and_the_page_has_the_tables_between_its_comments(self):
        page = self.folder / "benchmarks.md"
        page.write_text(f"# By hand\nbefore\n\n{report.begin_of('null')}\nold figures\n{report.end_of('null')}\n\nafter\n")
        ran = self.bench("--quick", "--only", "null,changed,cold", "--weir", WEIR, "--json", str(self.folder / "r.json"), "--docs", str(page))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        results = json.loads((self.folder / "r.json").read_text())
        tables = {table["name"]: table["rows"] for table in results["tables"]}
        self.assertEqual(list(tables), ["null", "changed", "cold", "growth"])
        peers = [name for name in ("ninja", "make") if shutil.which(name)]
        layouts = ["weir, one file", "weir, a file each"]
        self.assertEqual([(row["size"], row["tool"]) for row in tables["null"]],
                         [(size, tool) for size in (10, 50) for tool in layouts + peers])
        self.assertEqual([row["tool"] for row in tables["changed"]], layouts + [name for name in peers if name == "ninja"])
        self.assertEqual([(row["size"], row["parallel"], row["tool"]) for row in tables["cold"]],
                         [(*run, tool) for run in ((5, 2), (50, 2), (50, 8)) for tool in ["weir"] + peers])
        for row in tables["null"] + tables["changed"] + tables["cold"]:
            self.assertEqual(row["rounds"], 2)
            for figure in ("wall_s", "wall_low_s", "wall_high_s", "cpu_s"):
                self.assertGreater(row[figure], 0, row)
            if row["tool"].startswith("weir") and "ninja" in peers:
                self.assertGreater(row["ratio"], 0, row)
        for row in tables["null"] + tables["cold"]:
            self.assertGreater(row["peak_bytes"], 100_000, row)
        for row in tables["changed"]:
            self.assertGreater(row["wall_s"], row["overhead_s"] if row["tool"].startswith("weir") else 0, row)
        self.assertTrue(all(row["exponents"] for row in tables["growth"]))
        self._check_page(page.read_text())
        self.assertEqual([entry.name for entry in self.folder.iterdir() if entry.is_dir()], [], "it cleans up")

    def _check_page(self, text):
        self.assertTrue(text.startswith("# By hand\nbefore\n\n<!-- bench/run null:"), text)
        self.assertNotIn("old figures", text)
        for name in ("null", "changed", "cold", "growth"):
            self.assertEqual(text.count(report.begin_of(name)), 1)
            begin, end = text.index(report.begin_of(name)), text.index(report.end_of(name))
            self.assertIn("| weir", text[begin:end])
        self.assertIn(f"{report.end_of('null')}\n\nafter\n", text)

    def test_a_weir_that_fails_is_exit_1_with_its_output(self):
        weir = self.folder / "weir"
        weir.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo weir 0 && exit\necho it broke\nexit 3\n")
        weir.chmod(0o755)
        page = self.folder / "page.md"
        ran = self.bench("--quick", "--only", "cold", "--weir", str(weir), "--json", str(self.folder / "r.json"), "--docs", str(page))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("ended with 3:\nit broke", ran.stderr)
        self.assertFalse(page.exists() or (self.folder / "r.json").exists())

    def test_a_weir_that_does_something_else_is_not_measured(self):
        weir = self.folder / "weir"
        weir.write_text("#!/bin/sh\necho nothing was built\n")
        weir.chmod(0o755)
        ran = self.bench("--quick", "--only", "cold", "--weir", str(weir), "--json", str(self.folder / "r.json"), "--no-docs")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("did something else than was to be measured", ran.stderr)

    def test_what_is_not_built_or_gives_no_json_is_said_in_its_row(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bench").mkdir()
        weir = self.folder / "bin/weir"
        weir.write_text("#!/bin/sh\necho weir 0\n")
        weir.chmod(0o755)
        (self.folder / "bench/store_bench").write_text("#!/bin/sh\n")
        program = self.folder / "bench/order_bench"
        program.write_text("#!/bin/sh\n# --json FILE\necho '{\"name\": \"order\", \"rows\": [{\"workload\": \"w\", \"figure\": 1.25, \"aim\": \"1.05\"}]}' > $2\n")
        program.chmod(0o755)
        ran = self.bench("--quick", "--only", "load,store,order", "--weir", str(weir), "--json", str(self.folder / "r.json"), "--no-docs")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("| `load_bench` | load | not built: ninja -C build load_bench |  |", ran.stdout)
        self.assertIn("| `store_bench` | store | not measured: store_bench writes no JSON |  |", ran.stdout)
        self.assertIn("| `order_bench` | w | 1.25 | 1.05 |", ran.stdout)

    def test_mistakes_in_the_command_line_are_exit_2(self):
        self.assertIn("'nul' is none of null, changed", self.bench("--only", "nul").stderr)
        self.assertEqual(self.bench("--only", "nul").returncode, 2)
        self.assertIn("not a program", self.bench("--weir", str(self.folder / "none")).stderr)


class Measure(Folder):
    def command(self, script):
        return measure.Command("x", [shutil.which("sh"), "-c", script], dict(os.environ), log=str(self.folder / "log"))

    def test_memory_is_that_of_the_process_and_cpu_time_that_of_all(self):
        large = f"{sys.executable} -c 'x = bytearray(200 << 20); y = sum(range(1000000))'; true"
        self.assertLess(measure.peak(self.command(large)), 50 << 20)
        self.assertGreater(measure.peak(self.command("exec " + large[:-6])), 200 << 20)
        self.assertGreater(measure.run(self.command(large)).cpu, measure.run(self.command("true")).cpu)

    def test_rounds_take_turns(self):
        order = self.folder / "order"
        commands = [self.command(f"echo {letter} >> {order}") for letter in "abc"]
        measure.interleaved(commands, 3)
        self.assertEqual(order.read_text().split(), list("abc" "bca" "cab" "abc"), "and once more for memory")
        self.assertEqual([len(command.samples) for command in commands], [3, 3, 3])


class Figures(unittest.TestCase):
    def test_growth_is_the_exponent_between_neighbours(self):
        rows = [{"tool": "t", "size": size, "wall_s": size * size, "cpu_s": size, "peak_bytes": None} for size in (10, 100, 1000)]
        made = growth([{"name": "null", "rows": rows}])["rows"]
        self.assertEqual([(row["figure"], [round(e, 3) for e in row["exponents"]]) for row in made], [("wall_s", [2, 2]), ("cpu_s", [1, 1])])

    def test_a_change_of_the_last_element_reaches_nobody_else(self):
        for n in (20, 200, 1000):
            self.assertFalse(any(n - 1 in graph.depends(i) for i in range(n)))
            self.assertTrue(all(d < i for i in range(n) for d in graph.depends(i)))


if __name__ == "__main__":
    WEIR = sys.argv.pop(1)
    unittest.main(verbosity=2)
