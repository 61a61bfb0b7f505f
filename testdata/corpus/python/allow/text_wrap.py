import textwrap

text = "The quick brown fox jumps over the lazy dog. " * 3
print(textwrap.fill(text, width=40))
print(textwrap.shorten(text, 30, placeholder="..."))
print(textwrap.dedent("""
    a
      b
"""))
