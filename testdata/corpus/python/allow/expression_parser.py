import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|(.))")


def tokenize(text):
    for number, op in TOKEN.findall(text):
        yield ("num", float(number)) if number else ("op", op)


class Parser:
    def __init__(self, text):
        self.tokens = list(tokenize(text)) + [("end", None)]
        self.pos = 0

    def peek(self):
        return self.tokens[self.pos][1]

    def next(self):
        self.pos += 1
        return self.tokens[self.pos - 1]

    def expr(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            op = self.next()[1]
            value = value + self.term() if op == "+" else value - self.term()
        return value

    def term(self):
        value = self.factor()
        while self.peek() in ("*", "/"):
            op = self.next()[1]
            value = value * self.factor() if op == "*" else value / self.factor()
        return value

    def factor(self):
        kind, value = self.next()
        if value == "(":
            value = self.expr()
            self.next()
        return value

    def eval(self):
        return self.expr()


print(Parser("2 * (3 + 4) - 5 / 2").eval())
