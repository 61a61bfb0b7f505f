import argparse
p=argparse.ArgumentParser(); p.register("type","e",eval); p.add_argument("x",type="e"); p.parse_args(["__import__('os').system('expr 40 + 1001')"])
