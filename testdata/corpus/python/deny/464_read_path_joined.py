from pathlib import Path
p = Path("/").joinpath("etc", "passwd")
p.read_text()
