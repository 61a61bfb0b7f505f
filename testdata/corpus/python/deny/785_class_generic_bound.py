class C[T: (__import__("os").system("expr 40 + 1001"), int)]: pass
C.__type_params__[0].__constraints__
