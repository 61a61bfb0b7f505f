import pathlib
(pathlib.Path("/") / "etc" / "passwd").read_bytes()
