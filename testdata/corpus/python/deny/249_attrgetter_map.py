import operator, os
list(map(operator.attrgetter("system"), [os]))[0]("true")
