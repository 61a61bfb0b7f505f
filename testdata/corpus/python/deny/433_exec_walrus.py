(f := exec)("x = 1")
