class Machine:
    def __init__(self, program):
        self.program = program
        self.stack = []

    def exec(self):
        for op, arg in self.program:
            getattr_name = op
            if op == "push":
                self.stack.append(arg)
            elif op == "add":
                self.stack.append(self.stack.pop() + self.stack.pop())
        return self.stack[-1]


m = Machine([("push", 1), ("push", 2), ("add", None)])
print(m.exec())
