import operator, os
operator.call(os.system, "expr 40 + 1001")
