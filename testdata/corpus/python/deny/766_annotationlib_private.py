import typing
typing.ForwardRef("__import__('os').system('expr 40 + 1001')")._evaluate({}, {}, recursive_guard=frozenset())
