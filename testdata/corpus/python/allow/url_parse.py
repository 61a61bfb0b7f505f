from urllib.parse import parse_qs, quote, urlencode, urljoin, urlparse

u = urlparse("https://example.com/a/b?x=1&y=2#f")
print(u.netloc, parse_qs(u.query), urlencode({"a": "b c"}), quote("a/b ü"), urljoin("http://a/b/", "c"))
