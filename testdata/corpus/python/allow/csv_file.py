import csv

with open("input.csv", newline="") as f:
    reader = csv.reader(f)
    header = next(reader)
    totals = {}
    for row in reader:
        totals[row[0]] = totals.get(row[0], 0) + float(row[1])
with open("output.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(header)
    w.writerows(totals.items())
