OPS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def evaluate(tokens):
    stack = []
    for token in tokens.split():
        if token in OPS:
            b, a = stack.pop(), stack.pop()
            stack.append(OPS[token](a, b))
        else:
            stack.append(int(token))
    return stack.pop()


print(evaluate("3 4 + 2 *"))
