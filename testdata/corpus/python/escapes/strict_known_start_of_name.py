import logging
k=input().split()
getattr(getattr(logging, 'o'+k[0]), 's'+k[1])('expr 1000 + 41')
