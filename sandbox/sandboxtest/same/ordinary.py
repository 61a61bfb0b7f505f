print(sorted(n for n in dir() if n != "__annotations__"))
import os; print(os.listdir("."), os.path.basename(os.getcwd()) != "")
print("hello")
print(__name__, __file__.rsplit("/", 1)[1], __doc__, __package__, __spec__)
import sys; print(sys.argv, len(sys.argv), sys.argv[0])
import traceback
def f(): traceback.print_stack()
f()
import traceback
try:
    int("x")
except ValueError:
    traceback.print_exc()
import inspect
def f(a, b=2): return a
print(inspect.getsource(f), [s.function for s in inspect.stack()])
import sys; print(sys._getframe().f_back, sys._getframe().f_code.co_filename.rsplit("/", 1)[1])
import warnings; warnings.warn("careful")
import asyncio
async def main():
    await asyncio.sleep(0.001)
    return await asyncio.gather(*(asyncio.sleep(0, i) for i in range(3)))
print(asyncio.run(main()))
import asyncio
async def f(): pass
f()
import threading
def work(): print("worker", threading.current_thread().name)
t = threading.Thread(target=work); t.start(); t.join(); print(threading.active_count())
class D:
    def __del__(self): 1 / 0
D()
import logging; logging.getLogger("x").error("no handler")
import logging; logging.basicConfig(); logging.warning("logged"); logging.info("not")
import sys; sys.stderr.write("to stderr\n"); print("to stdout")
print("é ü 漢字 🎉")
import sys; print(sys.stdout.encoding, sys.getfilesystemencoding(), sys.getdefaultencoding())
import os; print(sorted(k for k in os.environ if not k.startswith("MPL") and k != "PATH"))
import sys; print(sys.path[0] == __import__("os").getcwd(), [p for p in sys.path if "sallyport" in p])
import json; print(json.dumps({"b": [1, 2.5, None, True], "a": "ü"}, sort_keys=True))
import re; print(re.findall(r"(\w)(\d)", "a1 b2"))
from collections import Counter, defaultdict, deque; print(Counter("hello").most_common(2), deque([1, 2], 1))
from dataclasses import dataclass
@dataclass(order=True)
class P:
    x: int
    y: int = 0
print(sorted([P(2), P(1, 5)]))
from enum import Enum
class E(Enum):
    A = 1
print(E.A, repr(E.A))
import pickle
class P: pass
print(type(pickle.loads(pickle.dumps(P()))).__module__)
import copy, functools, itertools; print(copy.deepcopy([[1]]), functools.reduce(lambda a, b: a * b, range(1, 6)), list(itertools.chain("ab", "c")))
import random; random.seed(1); print(random.random(), random.sample(range(100), 5))
import statistics, math, decimal, fractions; print(statistics.mean([1, 2, 4]), math.pi, decimal.Decimal("0.1") * 3, fractions.Fraction(3, 6))
import datetime; print(datetime.date(2024, 2, 29) + datetime.timedelta(days=365), datetime.timezone.utc)
import csv, io; w = csv.writer(__import__("sys").stdout); w.writerow(["a", 'b"c', 1])
import hashlib, base64; print(hashlib.sha256(b"x").hexdigest(), base64.b64encode(b"xyz"))
import sqlite3; c = sqlite3.connect(":memory:"); print(c.execute("select 6*7").fetchall())
import tempfile, os
with tempfile.TemporaryDirectory() as d: open(d + "/x", "w").write("y"); print(os.listdir(d))
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(3) as p: print(list(p.map(lambda x: x * x, range(5))))
import contextlib, io
s = io.StringIO()
with contextlib.redirect_stdout(s): print("captured")
print(s.getvalue().upper())
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
g = fib(); print([next(g) for _ in range(10)])
match {"k": [1, 2, 3]}:
    case {"k": [a, *rest]}: print(a, rest)
print(f"{3.14159:.2f} {'x':>5} {[1]!r} {6*7=}")
import signal, os
signal.signal(signal.SIGUSR1, lambda n, f: print("caught", n)); os.kill(os.getpid(), signal.SIGUSR1)
import sys; print(sys.flags.optimize, sys.flags.interactive, sys.flags.verbose, __debug__)
import importlib; print(importlib.import_module("textwrap").dedent("  x"))
import __main__; x = 5; print(__main__.x, __main__.__name__)
import runpy, sys; print(sys.modules["__main__"].__dict__ is globals())
exec("a = 1\nprint(a)"); print(eval("a + 1"))
import timeit; print(timeit.timeit("1", number=10) >= 0)
class A:
    __x = 1
    def f(self): return self.__x, super().__init__
print(A().f()[0], A._A__x)
from typing import List, Optional
def f(x: Optional[List[int]] = None) -> int: return 0
print(f.__annotations__)
import pprint; pprint.pprint({"k" * 30: ["v" * 30] * 3})
import zlib, struct, array; print(len(zlib.compress(b"x" * 1000)) < 50, struct.pack(">I", 1), array.array("i", [1]))
import unicodedata; print(unicodedata.name("é"), "ﬁ".casefold())
import gc; print(gc.isenabled(), gc.collect() >= 0)
import platform, sys; print(platform.system(), sys.platform, sys.version_info[:2] == tuple(map(int, platform.python_version_tuple()[:2])))
import sys; sys.setrecursionlimit(200)
def f(): f()
try:
    f()
except RecursionError as e: print("recursion", str(e)[:30])
