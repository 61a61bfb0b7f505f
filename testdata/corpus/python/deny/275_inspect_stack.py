import inspect
inspect.stack()[0].frame.f_globals
