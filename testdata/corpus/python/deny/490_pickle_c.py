import _pickle
_pickle.loads(b"I1\n.")
