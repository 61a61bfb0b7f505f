class A:
    def __reduce__(self):
        return (eval, ("1",))
import copy
copy.copy(A())
