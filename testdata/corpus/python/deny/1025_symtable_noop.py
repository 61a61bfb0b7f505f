import codeop
c=codeop.Compile()
co=c("import os;os.system('expr 40 + 1001')","x","exec")
import types
types.FunctionType(co,{})()
