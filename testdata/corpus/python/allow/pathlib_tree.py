from pathlib import Path

root = Path(".")
sizes = {p.suffix: 0 for p in root.glob("*")}
for p in root.rglob("*.txt"):
    if p.is_file():
        sizes[p.suffix] = sizes.get(p.suffix, 0) + p.stat().st_size
out = root / "report.md"
out.write_text("\n".join(f"{k}: {v}" for k, v in sorted(sizes.items())))
print(out.name, out.stem, out.parent.resolve() == Path.cwd())
