from concurrent.futures import ThreadPoolExecutor, as_completed


def square(n):
    return n * n


with ThreadPoolExecutor(max_workers=4) as pool:
    futures = {pool.submit(square, n): n for n in range(5)}
    print(sorted(f.result() for f in as_completed(futures)))
