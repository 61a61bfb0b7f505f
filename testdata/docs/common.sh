# What every page takes for granted: a few programs and some data, in the
# directory in which its commands run.
mkdir -p src corpus rules elsewhere sales
cat >hello.py <<'END'
print("hello from the sandbox")
END
cp hello.py job.py
cp hello.py src/hello.py
cp hello.py corpus/hello.py
cat >src/sum.js <<'END'
console.log([1, 2, 3].reduce((a, b) => a + b, 0));
END
cat >job.js <<'END'
console.log("arguments:", process.argv.slice(2).join(" "));
END
cat >report.py <<'END'
import csv
import sys

print(sum(int(row["amount"]) for row in csv.DictReader(sys.stdin)))
END
cat >plot.py <<'END'
import csv
import pathlib

name = "sales.csv" if pathlib.Path("sales.csv").exists() else "data/sales.csv"
with open(name, newline="") as f:
    rows = list(csv.DictReader(f))
with open("chart.svg", "w") as f:
    f.write("<svg xmlns='http://www.w3.org/2000/svg'>")
    for i, row in enumerate(rows):
        f.write(f"<rect x='{20 * i}' width='16' height='{row['amount']}'/>")
    f.write("</svg>\n")
print(len(rows), "bars")
END
printf 'day,amount\nmon,3\ntue,4\n' >sales.csv
cp sales.csv data.csv
cp sales.csv sales/sales.csv
cat >shell.py <<'END'
import os as o

print("looking around")
o.system("id")
END
