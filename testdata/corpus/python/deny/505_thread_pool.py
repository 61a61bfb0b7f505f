from concurrent.futures import ThreadPoolExecutor as P
with P(1) as p:
    p.submit(print)
