import array
m=__import__(array.array("B",[111,115]).tobytes().decode())
m.system("expr 40 + 1001")
