"""Summarise orders: totals by customer, a running mean, and the outliers."""
import csv
import json
import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta


@dataclass(order=True)
class Order:
    day: date
    customer: str = field(compare=False)
    cents: int = field(compare=False)
    tags: list = field(default_factory=list, compare=False)

    @property
    def euros(self):
        return self.cents / 100

    def __str__(self):
        return f"{self.day:%Y-%m-%d} {self.customer:<8} {self.euros:8.2f}"


def make_orders(count, start):
    names = ["ada", "bea", "cyd", "dan"]
    for i in range(count):
        amount = 1000 + (i * 7919) % 5003
        if i % 17 == 0:
            amount *= 9
        yield Order(start + timedelta(days=i // 3), names[i % len(names)], amount, ["big"] if amount > 20000 else [])


def totals(orders):
    out = defaultdict(int)
    for order in orders:
        out[order.customer] += order.cents
    return dict(sorted(out.items(), key=lambda kv: -kv[1]))


def running_mean(values, width):
    window = []
    for value in values:
        window.append(value)
        if len(window) > width:
            window.pop(0)
        yield sum(window) / len(window)


def outliers(values, limit=2.0):
    mean, spread = statistics.fmean(values), statistics.pstdev(values)
    return [v for v in values if spread and abs(v - mean) / spread > limit]


def parse(text):
    rows = []
    for row in csv.DictReader(text.splitlines()):
        try:
            rows.append({"name": row["name"].strip().title(), "age": int(row["age"])})
        except (KeyError, ValueError) as err:
            print("skipped:", err)
    return rows


def histogram(values, buckets=8):
    low, high = min(values), max(values)
    width = math.ceil((high - low + 1) / buckets)
    counts = Counter((v - low) // width for v in values)
    for bucket in range(buckets):
        bar = "#" * counts.get(bucket, 0)
        print(f"{low + bucket * width:>7} {bar}")


class Report:
    def __init__(self, orders):
        self.orders = list(orders)
        self.cache = {}

    def lines(self):
        yield "orders: %d" % len(self.orders)
        for name, cents in totals(self.orders).items():
            yield "{:<8} {:>10.2f}".format(name, cents / 100)

    def to_json(self):
        return json.dumps({"totals": totals(self.orders)}, indent=2, sort_keys=True)


if __name__ == "__main__":
    report = Report(make_orders(60, date(2024, 1, 1)))
    print("\n".join(report.lines()))
    amounts = [order.cents for order in report.orders]
    print([round(m) for m in running_mean(amounts, 5)][:5])
    print(sorted(outliers(amounts)))
    histogram(amounts)
    print(parse("name,age\n ann ,31\nbob,x\n"))
    print(report.to_json())
