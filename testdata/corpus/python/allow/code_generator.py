def render(name, fields):
    lines = [f"class {name}:"]
    lines.append("    def __init__(self, " + ", ".join(fields) + "):")
    lines += [f"        self.{f} = {f}" for f in fields]
    return "\n".join(lines)


print(render("Point", ["x", "y"]))
with open("generated.py", "w") as f:
    f.write(render("Pair", ["a", "b"]))
