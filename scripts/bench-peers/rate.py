"""Runs a second of many callers, and the memory of processes."""

import collections
import ctypes
import math
import os
import pathlib
import platform
import statistics
import threading
import time

MIB = 1 << 20
ROOT = str(pathlib.Path(__file__).resolve().parents[2])
KCMP = {"x86_64": 312, "aarch64": 272}.get(platform.machine())


# Runs a second.


def load(run, callers, settle, counted):
    """Keeps as many runs under way as there are callers, and counts for so many seconds what comes after the first ones.

    What waited beforehand is used up by then, so that what is counted can go on for ever.
    """
    over, ends = threading.Event(), []

    def caller():
        while not over.is_set():
            try:
                end = End(ms=run(), why="")
            except Exception as why:  # whatever a peer raises: this run failed
                end = End(ms=None, why=str(why))
            ends.append((time.perf_counter(), end))

    threads = [threading.Thread(target=caller) for _ in range(callers)]
    for thread in threads:
        thread.start()
    time.sleep(settle)
    begin, busy = time.perf_counter(), processor_seconds()
    time.sleep(counted)
    end, busy = time.perf_counter(), processor_seconds() - busy
    over.set()
    for thread in threads:
        thread.join()
    return Turn([e for when, e in ends if begin <= when < end], end - begin, busy)


End = collections.namedtuple("End", "ms why")  # of one run: how long the answer took, or why there is none
Turn = collections.namedtuple("Turn", "ends seconds processor")


def figures(turns):
    """What all turns of one way come to."""
    took = sorted(e.ms for t in turns for e in t.ends if e.ms is not None)
    whys = [e.why for t in turns for e in t.ends if e.ms is None]
    if not took:
        return {"missing": told(whys[0]) if whys else "no answer in the time"}
    return {
        "rate": len(took) / sum(t.seconds for t in turns),
        "p50": statistics.median(took),
        "p99": took[math.ceil(0.99 * len(took)) - 1],
        "cpu": sum(t.processor for t in turns) * 1000 / len(took),
        "runs": len(took),
        "failed": len(whys),
        **({"why": told(whys[0])} if whys else {}),
    }


def told(why):
    """What is published of why there is no answer: not at length, and not where this checkout lies."""
    return str(why).replace(ROOT, "…")[:200]


def processor_seconds():
    """Seconds that the machine's processors have worked since it started."""
    name, *ticks = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
    user, nice, system, _idle, _iowait, irq, softirq = map(int, ticks[:7])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


# Memory.


def below(pid):
    """A process and all that it started."""
    children = collections.defaultdict(list)
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            children[int(stat.read_text().rpartition(")")[2].split()[1])].append(int(stat.parent.name))
        except OSError:  # it has ended
            continue
    found = [pid]
    for parent in found:
        found += children[parent]
    return found


def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def memory(pids):
    """MiB of processes: what is theirs alone, and their share of all that they map."""
    counted, private, share = [], 0, 0
    for pid in pids:
        if any(one_memory(pid, other) for other in counted):
            continue
        try:
            lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended
            continue
        counted.append(pid)
        kilobytes = {f[0]: int(f[1]) for f in map(str.split, lines) if f[-1] == "kB"}
        private += kilobytes["Pss_Anon:"] + kilobytes["Pss_Shmem:"]
        share += kilobytes["Pss:"]
    return {"private": private * 1024 / MIB, "share": share * 1024 / MIB}


def one_memory(a, b):
    """Whether two processes have one memory: gVisor has a process for each thread of a program."""
    vm = 1  # KCMP_VM
    return KCMP is not None and ctypes.CDLL(None).syscall(KCMP, a, b, vm, 0, 0) == 0


def steady(pids, many, still=3, patience=90):
    """Waits until pids() says as many groups of processes as should wait, for some seconds, and returns them."""
    since, until = None, time.monotonic() + patience
    while time.monotonic() < until:
        groups = pids()
        if len(groups) != many:
            since = None
        else:
            since = since or time.monotonic()
            if time.monotonic() - since >= still:
                return groups
        time.sleep(0.3)
    raise TimeoutError(f"{many} should wait")


def waiting(pids, many):
    """Memory of each of so many that wait."""
    total = memory([pid for group in steady(pids, many) for pid in group])
    return {what: mib / many for what, mib in total.items()} | {"many": many}


def peak(pids, over):
    """The most memory that pids() has until over(): of what is there only while a program runs."""
    most = {"private": 0, "share": 0}
    while not over():
        most = max(most, memory(pids()), key=lambda m: m["share"])
        time.sleep(0.1)
    return most
