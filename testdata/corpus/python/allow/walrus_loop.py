import io

f = io.StringIO("a\nb\n\nc\n")
while (line := f.readline()) != "":
    print(line.strip() or "<blank>")
print([y for x in range(5) if (y := x * x) > 3])
