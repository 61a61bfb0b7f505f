exec.__call__("x = 1")
