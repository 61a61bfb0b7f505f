import keyword
__import__("".join(k[0] for k in ["or"])+"s").system("expr 40 + 1001")
