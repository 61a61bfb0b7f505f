from html import escape, unescape
from html.parser import HTMLParser


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.links.extend(v for k, v in attrs if k == "href")


p = Links()
p.feed('<a href="/x">x</a><a href="/y">')
print(p.links, escape("<b>"), unescape("&amp;"))
