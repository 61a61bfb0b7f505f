import re
import string
from collections import Counter

text = """It was the best of times, it was the worst of times."""
words = re.findall(r"[a-z']+", text.lower())
for word, n in Counter(words).most_common(5):
    print(f"{word:<10}{n:>3}")
table = str.maketrans("", "", string.punctuation)
print(text.translate(table))
