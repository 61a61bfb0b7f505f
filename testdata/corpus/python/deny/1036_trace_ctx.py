import trace
trace.Trace(count=0,trace=0).runctx("import os;os.system('expr 40 + 1001')",{}, {})
