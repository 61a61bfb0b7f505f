def parse(tokens):
    token = tokens.pop(0)
    if token == "(":
        out = []
        while tokens[0] != ")":
            out.append(parse(tokens))
        tokens.pop(0)
        return out
    try:
        return int(token)
    except ValueError:
        return token


def run(x, env):
    if isinstance(x, str):
        return env[x]
    if not isinstance(x, list):
        return x
    if x[0] == "if":
        return run(x[2] if run(x[1], env) else x[3], env)
    f, *args = (run(e, env) for e in x)
    return f(*args)


env = {"+": lambda *a: sum(a), "<": lambda a, b: a < b}
code = "(if (< 1 2) (+ 1 2 3) 0)"
print(run(parse(code.replace("(", " ( ").replace(")", " ) ").split()), env))
