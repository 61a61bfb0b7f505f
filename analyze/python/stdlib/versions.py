"""Puts together what several versions of Python say of their own library."""
import json
import subprocess
import sys


def write(report):
    """Print a line a name, with what report found under it in any of the interpreters named.

    report returns, for each name, a list; it runs in each of them.
    """
    if sys.argv[1:] == ["--report"]:
        json.dump(report(), sys.stdout)
        return
    found = {}
    for interpreter in sys.argv[1:]:
        text = subprocess.run([interpreter, "-W", "ignore", sys.argv[0], "--report"], check=True, capture_output=True, text=True).stdout
        for name, names in json.loads(text).items():
            found.setdefault(name, set()).update(names)
    for name in sorted(found):
        print(name + "\t" + " ".join(sorted(found[name])))
