import difflib

a, b = "one\ntwo\nthree".splitlines(), "one\n2\nthree".splitlines()
print("\n".join(difflib.unified_diff(a, b, "a", "b", lineterm="")))
print(difflib.get_close_matches("appel", ["ape", "apple"]))
