class Config:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        items = ", ".join(f"{k}={v!r}" for k, v in sorted(self.__dict__.items()))
        return f"{self.__class__.__name__}({items})"


c = Config(a=1, b="x")
print(c, vars(c), hasattr(c, "a"), getattr(c, "z", None))
