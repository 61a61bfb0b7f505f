class Node:
    children: "list[Node]"
    parent: "Node | None" = None

    def __init__(self, name: "str") -> "None":
        self.name = name
        self.children = []

    def add(self, child: "Node") -> "Node":
        child.parent = self
        self.children.append(child)
        return child


root = Node("root")
root.add(Node("a")).add(Node("b"))
print(root.children[0].children[0].parent.name)
