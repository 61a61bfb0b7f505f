match __import__("os"):
    case object(system=s):
        s("true")
