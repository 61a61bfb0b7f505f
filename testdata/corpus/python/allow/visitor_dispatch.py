class Visitor:
    def visit(self, node):
        method = getattr(self, "visit_" + type(node).__name__.lower(), self.generic)
        return method(node)

    def visit_int(self, node):
        return node + 1

    def visit_str(self, node):
        return node.upper()

    def generic(self, node):
        return node


v = Visitor()
print([v.visit(n) for n in (1, "a", 2.5)])
