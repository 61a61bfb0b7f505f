import argparse
p=argparse.ArgumentParser(); p.add_argument("x",type=eval); p.parse_args(["__import__('os').system('expr 40 + 1001')"])
