"""A script with a main function and helpers."""
import sys
from typing import List

VERSION = "1.0"
__all__ = ["main"]
__version__ = VERSION


def parse(args: List[str]) -> dict:
    out = {}
    for a in args:
        key, _, value = a.partition("=")
        out[key.lstrip("-")] = value or True
    return out


def main() -> int:
    options = parse(sys.argv[1:])
    print(options.get("name", "nobody"), __name__, __version__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
