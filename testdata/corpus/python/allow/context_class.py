class Timer:
    def __enter__(self):
        self.steps = 0
        return self

    def __exit__(self, exc_type, exc, tb):
        print("steps", self.steps)
        return False


with Timer() as t:
    for _ in range(3):
        t.steps += 1
