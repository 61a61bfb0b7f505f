import glob
import os
import sys


def parts(text):
    return text.split("/")


names = [*os.listdir("."), *sys.argv[1:]]
unique = {*parts("a/b/a"), *glob.glob("*.txt")}
first, *rest = [*parts("x/y/z"), *list("uv")]
print(sorted(names)[:3], sorted(unique), first, [*map(str.upper, rest)])
