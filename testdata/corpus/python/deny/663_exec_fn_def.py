exec("def f(m): m.system('true')")
import os
f(os)
