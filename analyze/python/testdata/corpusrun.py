"""Run one program of the corpus and say which audited things it does.

Usage: python3 corpusrun.py PROGRAM EVENTS

The names of the audit events (PEP 578) of the program go to the file EVENTS,
one a line; for open also the mode, "open:r" or "open:w".
"""
import os
import sys

program, events = sys.argv[1:3]
fd = os.open(events, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
with open(program, encoding="utf-8") as f:
    text = f.read()
code = compile(text, program, "exec")
write, getpid = os.write, os.getpid
state = {"own": 1}  # the exec below is ours


def hook(event, args):
    if event == "exec" and state["own"]:
        state["own"] = 0
        return
    if event == "open":
        mode, flags = args[1], args[2]
        writing = (mode and any(c in mode for c in "wax+")) or (isinstance(flags, int) and flags & 3)
        event = "open:w" if writing else "open:r"
    write(fd, (event + "\n").encode())


sys.argv = [program]
scope = {"__name__": "__main__", "__file__": program, "__builtins__": __builtins__, "__loader__": __loader__, "__spec__": None}
sys.addaudithook(hook)
exec(code, scope)
