import random, argparse
argparse.Namespace(m=random).m._os.system("expr 40 + 1001")
