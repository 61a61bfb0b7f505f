prices = [{"open": 10, "high": 12, "low": 9, "close": 11}, {"open": 11, "high": 11, "low": 8, "close": 9}]


class Bar:
    def __init__(self, open, high, low, close):
        self.open, self.high, self.low, self.close = open, high, low, close

    def change(self):
        return (self.close - self.open) / self.open


print([round(Bar(**p).change(), 3) for p in prices])
