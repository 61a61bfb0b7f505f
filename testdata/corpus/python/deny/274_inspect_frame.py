import inspect
inspect.currentframe().f_back
