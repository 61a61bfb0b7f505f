import csv
import io
from statistics import mean

raw = "name,score\nann,3\nbob,5\n"
rows = list(csv.DictReader(io.StringIO(raw)))
print(mean(float(r["score"]) for r in rows))
writer = csv.writer(io.StringIO())
writer.writerow(["a", 1])
