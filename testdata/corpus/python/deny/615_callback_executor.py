import os
from concurrent.futures import ThreadPoolExecutor as T
with T() as t:
    t.submit(lambda m: m.system("true"), os)
