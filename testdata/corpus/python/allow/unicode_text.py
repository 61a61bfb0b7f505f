import unicodedata

text = "Ĥéllo wörld, 日本語, עברית, مرحبا 👩‍👩‍👧"
print(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode())
print(len(text), text.upper(), [unicodedata.name(c, "?") for c in text[:3]])
größe = 3
print(größe)
