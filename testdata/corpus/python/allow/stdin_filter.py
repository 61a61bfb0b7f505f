import sys

total = 0
for line in sys.stdin:
    parts = line.split()
    if parts:
        total += int(parts[0])
sys.stdout.write(f"{total}\n")
