from collections import defaultdict
from datetime import datetime

events = [("2024-01-03", 2), ("2024-01-20", 3), ("2024-02-01", 5)]
months = defaultdict(int)
for day, n in events:
    months[datetime.fromisoformat(day).strftime("%b")] += n
print(dict(months))
