import heapq
import random


class Simulation:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events = []
        self.now = 0.0
        self.served = 0

    def schedule(self, delay, action):
        heapq.heappush(self.events, (self.now + delay, len(self.events), action))

    def arrive(self):
        self.schedule(self.random.expovariate(1.0), self.arrive)
        self.schedule(self.random.expovariate(1.5), self.serve)

    def serve(self):
        self.served += 1

    def run(self, until):
        self.schedule(0, self.arrive)
        while self.events and self.now < until:
            self.now, _, action = heapq.heappop(self.events)
            action()
        return self.served


print(Simulation(1).run(50))
