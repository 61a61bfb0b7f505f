import re

pattern = re.compile(r"(\w+)@(\w+)\.com")
text = "alice@example.com, bob@test.com"
for match in pattern.finditer(text):
    print(match.group(1), match.group(2))
print(re.sub(r"\s+", " ", "a   b  c"))
