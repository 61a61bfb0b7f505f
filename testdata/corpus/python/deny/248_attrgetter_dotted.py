import operator, os
operator.attrgetter("path.os.system")(os)("true")
