import _operator
_operator.attrgetter("system")(__import__("os"))("true")
