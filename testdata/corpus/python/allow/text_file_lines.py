import sys

count = 0
longest = ""
with open(sys.argv[1] if len(sys.argv) > 1 else "input.txt") as f:
    for line in f:
        count += 1
        if len(line) > len(longest):
            longest = line.rstrip()
print(count, longest)
