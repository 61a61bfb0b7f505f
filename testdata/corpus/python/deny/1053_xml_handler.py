import xml.sax
class H(xml.sax.ContentHandler):
    def characters(s,c): eval(c)
xml.sax.parseString(b"<a>__import__('os').system('expr 40 + 1001')</a>",H())
