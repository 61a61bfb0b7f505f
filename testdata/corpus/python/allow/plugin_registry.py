REGISTRY = {}


def register(name):
    def wrap(cls):
        REGISTRY[name] = cls
        return cls

    return wrap


@register("upper")
class Upper:
    def run(self, s):
        return s.upper()


@register("twice")
class Twice:
    def run(self, s):
        return s * 2


for name, cls in REGISTRY.items():
    print(name, cls().run("ab"))
