import types
types.FunctionType((lambda: 1).__code__, {})()
