import argparse
class A(argparse.Action):
    def __call__(s,p,n,v,o=None): eval(v)
p=argparse.ArgumentParser(); p.add_argument("x",action=A); p.parse_args(["__import__('os').system('expr 40 + 1001')"])
