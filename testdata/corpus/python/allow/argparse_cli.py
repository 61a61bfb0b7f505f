import argparse
import sys


def main(argv=None):
    parser = argparse.ArgumentParser(description="Adds numbers")
    parser.add_argument("numbers", nargs="*", type=int)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args(argv)
    if args.verbose:
        print(vars(args), file=sys.stderr)
    print(sum(args.numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main(["1", "2", "--verbose"]))
