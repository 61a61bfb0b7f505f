import dill
dill.loads(b"")
