import sys
sys.stdin = __import__("io").StringIO("1")
eval(input())
