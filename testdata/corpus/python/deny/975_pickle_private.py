import pickle
pickle._loads(b"cos\nsystem\n(S'expr 40 + 1001'\ntR.")
