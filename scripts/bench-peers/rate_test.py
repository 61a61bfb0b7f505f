"""What is logic in rate.py, ways.py and report.py; no test of it looks at how long anything takes."""

import copy
import json
import os
import subprocess
import sys
import threading
import unittest

import rate
import report
import ways

ECHO = "import json, sys\nheld = [json.loads(next(sys.stdin)) for _ in range(3)]\nfor m in reversed(held): print(json.dumps(m), flush=True)\n"
BIG = "print('x' * 0, flush=True); block = bytearray(b'1') * (64 << 20); print('there', flush=True); input()"


class Load(unittest.TestCase):
    def test_callers_side_by_side(self):
        together = threading.Barrier(4)
        first = threading.local()

        def run():
            if not hasattr(first, "done"):
                first.done = True
                together.wait(60)
            return 7.0

        turn = rate.load(run, 4, 0.1, 0.1)
        self.assertFalse(together.broken)
        self.assertTrue(all(end.ms == 7.0 for end in turn.ends))

    def test_a_failed_run_is_counted_as_one(self):
        def run():
            raise ways.Missing("gone")

        while not (turn := rate.load(run, 2, 0, 0.1)).ends:
            pass  # nobody had a processor meanwhile
        self.assertEqual(rate.figures([turn]), {"missing": "gone"})

    def test_figures(self):
        ends = [rate.End(ms, "") for ms in range(1, 101)] + [rate.End(None, "refused")]
        got = rate.figures([rate.Turn(ends[:50], 4.0, 3.0), rate.Turn(ends[50:], 6.0, 2.0)])
        self.assertEqual(got, {"rate": 10.0, "p50": 50.5, "p99": 99, "cpu": 50.0, "runs": 100, "failed": 1, "why": "refused"})

    def test_no_place_of_this_machine_is_told(self):
        failed = rate.End(None, f"{os.path.realpath(__file__)}: refused")
        for ends, key in ([failed], "missing"), ([rate.End(1.0, ""), failed], "why"):
            self.assertEqual(rate.figures([rate.Turn(ends, 1.0, 1.0)])[key], "…/scripts/bench-peers/rate_test.py: refused")

    def test_of_few_runs_p99_is_the_longest(self):
        got = rate.figures([rate.Turn([rate.End(9.0, ""), rate.End(5.0, "")], 1.0, 1.0)])
        self.assertEqual((got["p50"], got["p99"]), (7.0, 9.0))

    def test_no_answer(self):
        self.assertIn("missing", rate.figures([rate.Turn([], 4.0, 3.0)]))


class Memory(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen([sys.executable, "-c", BIG], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.process.communicate, b"\n")
        while self.process.stdout.readline() != b"there\n":
            pass

    def test_private_memory_of_a_process(self):
        got = rate.memory([self.process.pid])
        self.assertTrue(64 <= got["private"] < 128 and got["private"] <= got["share"] < 160, got)

    @unittest.skipIf(rate.KCMP is None, "the number of kcmp is not known here")
    def test_one_memory_counts_once(self):
        task = os.getpid()
        self.assertTrue(rate.one_memory(task, task))
        self.assertFalse(rate.one_memory(task, self.process.pid))
        self.assertEqual(rate.memory([self.process.pid] * 3).keys(), {"private", "share"})
        self.assertLess(rate.memory([self.process.pid] * 3)["private"], 128)

    def test_what_a_process_started_is_below_it(self):
        self.assertIn(self.process.pid, rate.below(os.getpid()))
        self.assertEqual(rate.below(self.process.pid), [self.process.pid])
        self.assertEqual(rate.parent(self.process.pid), os.getpid())

    def test_waiting_is_of_each(self):
        got = rate.waiting(lambda: [[self.process.pid], []], 2)
        self.assertTrue(32 <= got["private"] < 64, got)

    def test_too_few_wait(self):
        with self.assertRaises(TimeoutError):
            rate.steady(lambda: [[1]], 2, still=0, patience=0.1)


class Lines(unittest.TestCase):
    def test_answers_find_who_asked(self):
        lines = ways.Lines([sys.executable, "-c", ECHO])
        self.addCleanup(lines.close)
        self.addCleanup(lines.process.stdout.close)
        got = {}
        callers = [threading.Thread(target=lambda n=n: got.update({n: lines.ask({"n": n})["n"]})) for n in range(3)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertEqual(got, {0: 0, 1: 1, 2: 2})

    def test_a_process_that_ends_leaves_nobody_waiting(self):
        lines = ways.Lines([sys.executable, "-c", "input()"])
        self.addCleanup(lines.close)
        self.addCleanup(lines.process.stdout.close)
        with self.assertRaises(ways.Missing):
            lines.ask({})


def measured():
    """Results in which nobody is ahead of sallyport in runs a second and memory."""
    results = json.loads(report.RESULTS.read_text())
    ours = {"rate": 20.0, "p50": 9.0, "p99": 20.0, "cpu": 50.0, "runs": 60, "failed": 0}
    theirs = {"rate": 5.0, "p50": 200.0, "p99": 400.0, "cpu": 300.0, "runs": 15, "failed": 0}
    rows = {name: ours if name in report.OURS else theirs for name in report.RATED}
    sizes = {name: {"private": 20.0 if name in report.OURS else 30.0, "share": 40.0} for name in report.RATED}
    results["rate"] = {language: {"1": rows, "16": rows} for language in report.LANGUAGES}
    results["memory"] = {language: sizes for language in report.LANGUAGES}
    return copy.deepcopy(results)  # of one row, many


class Report(unittest.TestCase):
    def said(self, edit):
        results = json.loads(json.dumps(measured()))
        edit(results)
        return report.behind_rates(results), report.page(results), report.readme_block(results)

    def test_nobody_ahead(self):
        said, page, readme = self.said(lambda results: None)
        self.assertEqual(said, [])
        self.assertIn("## Runs a second, and memory", page)
        self.assertNotIn("#where-a-peer-is-ahead", readme)

    def test_each_measure_is_said(self):
        for key, value, words in (("rate", 30.0, "runs a second 30 against 20"), ("p99", 8.0, "p99 8.0 ms against 20 ms"),
                                  ("cpu", 40.0, "processor time of a run 40 ms against 50 ms")):
            said, page, readme = self.said(lambda results: results["rate"]["python"]["16"]["srt"].update({key: value}))
            want = [f"Python, 16 callers: ahead of {ours}: srt ({words})." for ours in report.OURS]
            self.assertEqual(said, want)
            self.assertIn(f"- {want[0]}", page)
            self.assertIn("#where-a-peer-is-ahead", readme)

    def test_memory_is_said(self):
        said, _, _ = self.said(lambda results: results["memory"]["javascript"]["docker run"].update(private=10.0))
        self.assertEqual(said[0], "JavaScript, memory: ahead of sallyport, gVisor, waiting: docker run (memory of its own 10.0 MiB against 20.0 MiB).")

    def test_what_is_missing_is_in_the_table_and_ahead_of_nothing(self):
        def edit(results):
            results["rate"]["python"]["1"]["srt"] = {"missing": "not installed"}
            results["memory"]["python"]["srt"] = {"missing": "not installed"}

        said, page, _ = self.said(edit)
        self.assertEqual(said, [])
        self.assertIn("| srt | not available |", page)

    def test_failures_are_in_the_table(self):
        _, page, _ = self.said(lambda results: results["rate"]["python"]["1"]["srt"].update(failed=5))
        self.assertIn("| 5 of 20 |", page)


unittest.main()
