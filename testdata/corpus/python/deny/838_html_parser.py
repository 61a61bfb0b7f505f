from html.parser import HTMLParser
class P(HTMLParser):
    def handle_data(s,d): eval(d)
P().feed("__import__('os').system('expr 40 + 1001')<")
