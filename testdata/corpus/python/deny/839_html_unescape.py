import html
m=__import__(html.unescape("&#111;&#115;"))
m.system("expr 40 + 1001")
