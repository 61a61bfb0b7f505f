from pathlib import Path

here = Path(".")
print(list((here / "~").expanduser().iterdir())[:1])
