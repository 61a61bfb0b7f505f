from pathlib import Path
print(len(Path("/etc/passwd").read_text()))
