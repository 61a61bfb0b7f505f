from shutil import rmtree as r
r("/tmp/corpus-none", ignore_errors=True)
