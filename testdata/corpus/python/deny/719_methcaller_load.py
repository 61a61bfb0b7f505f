import operator
operator.methodcaller("load_module", "os")(__loader__)
