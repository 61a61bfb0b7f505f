from pathlib import Path
Path("/tmp/corpus-x").write_text("x")
