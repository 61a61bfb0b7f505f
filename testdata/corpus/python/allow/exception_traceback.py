import sys
import traceback

try:
    int("x")
except ValueError as e:
    traceback.print_exc(file=sys.stdout)
    print("".join(traceback.format_exception(type(e), e, e.__traceback__)))
    print(e.__class__.__name__, e.__cause__)
