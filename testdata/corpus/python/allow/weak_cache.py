import weakref


class Big:
    pass


cache = weakref.WeakValueDictionary()
b = Big()
cache["b"] = b
print(cache.get("b") is b, len(cache))
