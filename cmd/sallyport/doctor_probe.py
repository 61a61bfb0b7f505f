"""Tries to get out of the sandbox, harmlessly, and says how each try ended."""
import ctypes
import json
import os
import socket
import sys

port, canary = int(sys.argv[1]), sys.argv[2]
results = {}


def attempt(name, escape):
    """escape returns what it reached, or raises or returns None when it was stopped."""
    try:
        reached = escape()
    except BaseException as err:
        results[name] = {"escaped": False, "detail": f"{type(err).__name__}: {err}"[:120]}
        return
    results[name] = {"escaped": reached is not None, "detail": str(reached or "stopped")[:120]}


def connect(address):
    def escape():
        with socket.create_connection(address, timeout=2):
            return f"connected to {address[0]}"

    return escape


def read(path):
    def escape():
        with open(path) as f:
            return f"read {len(f.read())} characters of {path}"

    return escape


def write(path):
    def escape():
        with open(path, "w") as f:
            f.write("x")
        return f"wrote {path}"

    return escape


def call(name, *args):
    def escape():
        libc = ctypes.CDLL(None, use_errno=True)
        if getattr(libc, name)(*args) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return f"{name} succeeded"

    return escape


def raw_socket():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    return "opened a raw socket"


attempt("host loopback", connect(("127.0.0.1", port)))
attempt("link-local metadata address", connect(("169.254.169.254", 80)))
attempt("name lookup", lambda: socket.getaddrinfo("localhost.localdomain.invalid.", 80)[0])
attempt("raw socket", raw_socket)
attempt("host file", read(canary))
attempt("host passwords", read("/etc/shadow"))
attempt("write to the system", write("/usr/sallyport-probe"))
attempt("mount", call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
attempt("become root", call("setuid", 0))
attempt("new namespaces", call("unshare", 0x00020000 | 0x10000000))
print(json.dumps({"results": results, "environ": sorted(os.environ.values())}))
