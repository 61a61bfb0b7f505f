exec("import {0}; {0}.system('true')".format("os"))
