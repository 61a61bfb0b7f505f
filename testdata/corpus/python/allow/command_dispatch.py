class Shell:
    def do_add(self, a, b):
        return int(a) + int(b)

    def do_echo(self, *words):
        return " ".join(words)

    def run(self, line):
        name, *args = line.split()
        handler = getattr(self, f"do_{name}", None)
        if handler is None:
            return "unknown command"
        return handler(*args)


s = Shell()
print(s.run("add 1 2"), s.run("echo a b"), s.run("quit"))
