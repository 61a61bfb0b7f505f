import pathlib as p
p.Path("/tmp/corpus-none").unlink(missing_ok=True)
