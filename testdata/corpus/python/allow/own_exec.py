def exec(command):
    return "would run " + command


def eval(tree):
    if isinstance(tree, tuple):
        op, a, b = tree
        return eval(a) + eval(b) if op == "+" else eval(a) * eval(b)
    return tree


print(exec("ls"))
print(eval(("+", 1, ("*", 2, 3))))
