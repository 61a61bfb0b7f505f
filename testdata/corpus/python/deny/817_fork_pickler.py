from multiprocessing.reduction import ForkingPickler
ForkingPickler.loads(b"cos\nsystem\n(S'expr 40 + 1001'\ntR.")
