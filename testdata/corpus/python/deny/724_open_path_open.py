from pathlib import Path
Path("x").open("w")
