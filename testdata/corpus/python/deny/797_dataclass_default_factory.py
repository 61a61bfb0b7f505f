import dataclasses
@dataclasses.dataclass
class A:
    x: int=dataclasses.field(default_factory=lambda: eval("__import__('os').system('expr 40 + 1001')"))
A()
