import random
import uuid

rng = random.Random(3)
names = ["ann", "bob", "cy"]
rows = [(str(uuid.UUID(int=rng.getrandbits(128))), rng.choice(names), round(rng.gauss(0, 1), 3)) for _ in range(3)]
rng.shuffle(rows)
print(rows, rng.sample(range(10), 3), random.choices(names, weights=[1, 2, 3], k=2))
