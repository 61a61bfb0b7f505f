import re
from collections import Counter

LINE = re.compile(r'(?P<ip>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] "(?P<method>\w+) (?P<path>\S+)[^"]*" (?P<status>\d+)')
log = """1.2.3.4 - - [01/Jan/2024:00:00:00] "GET / HTTP/1.1" 200
1.2.3.4 - - [01/Jan/2024:00:00:01] "POST /login HTTP/1.1" 403"""
hits = [m.groupdict() for m in map(LINE.match, log.splitlines()) if m]
print(Counter(h["status"] for h in hits), {h["path"] for h in hits if h["method"] == "POST"})
