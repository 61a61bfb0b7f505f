import typing
typing.sys.modules["posix"].system("true")
