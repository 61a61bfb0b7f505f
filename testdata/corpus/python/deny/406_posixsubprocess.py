import _posixsubprocess
print(_posixsubprocess.fork_exec)
