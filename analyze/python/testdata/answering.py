"""Print the classes of the library of which an object says itself what a text and it come to.

Those are the ones with a method for that in Python which makes another object of its class.
"""
import importlib
import inspect
import io
import os
import pkgutil
import sys

SKIP = {"antigravity", "this", "idlelib", "tkinter", "turtle", "turtledemo", "test", "lib2to3", "ensurepip", "__main__"}


def modules():
    for module in pkgutil.iter_modules([os.path.dirname(inspect.__file__)]):
        if module.name not in SKIP and not module.name.startswith("_py"):
            try:
                yield importlib.import_module(module.name)
            except BaseException:  # a module may exit, or not be for this platform
                pass


def answers(cls):
    methods = [getattr(cls, name, None) for name in ("__radd__", "__rmod__")]
    return any({"__class__", "type"} & set(m.__code__.co_names) for m in methods if inspect.isfunction(m))


sys.stdout, out = io.StringIO(), sys.stdout
found = {cls.__name__ for module in modules() for cls in vars(module).values() if inspect.isclass(cls) and answers(cls)}
print(*sorted(found), file=out)
