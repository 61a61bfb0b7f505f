import operator, os
operator.itemgetter("system")(vars(os))("true")
