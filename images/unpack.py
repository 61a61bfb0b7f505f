"""Unpacks the wheels of a directory into the site-packages of this Python.

    unpack.py WHEELS LOCK

A wheel is an archive: nothing of it is run. One whose hash is not in the lock
file ends the build. What only tests and compilers need is left out. Prints the
directory.
"""
import compileall
import hashlib
import pathlib
import re
import site
import sys
import zipfile


def wanted(name):
    parts = name.split("/")
    return not (
        {"tests", "testdata", "include", "sample_data"} & set(parts[:-1])
        or parts[0].endswith(".data")
        or name.endswith((".a", ".pyx", ".pxd", ".pyi", ".h", ".c", ".cpp", ".f90"))
    )


def main(wheels, lock):
    known = set(re.findall(r"sha256:([0-9a-f]{64})", pathlib.Path(lock).read_text()))
    target = site.getsitepackages()[0]
    names = set()
    for wheel in sorted(pathlib.Path(wheels).glob("*.whl")):
        if hashlib.sha256(wheel.read_bytes()).hexdigest() not in known:
            sys.exit("%s is not what %s names" % (wheel.name, lock))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target, [n for n in archive.namelist() if wanted(n)])
        names.add(wheel.name.split("-")[0])
    missing = [n for n in re.findall(r"(?m)^([a-z0-9-]+)==", pathlib.Path(lock).read_text()) if n.replace("-", "_") not in names]
    if missing:
        sys.exit("no wheel of " + ", ".join(missing))
    compileall.compile_dir(target, quiet=2, workers=0)
    print(target)


main(*sys.argv[1:])
