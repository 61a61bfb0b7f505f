class A:
    class B: x=1
match 1:
    case A.B.x: __import__("os").system("expr 40 + 1001")
