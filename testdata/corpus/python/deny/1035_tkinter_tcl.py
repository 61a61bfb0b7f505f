import tkinter
print(tkinter.Tcl().eval("exec expr 40 + 1001"))
