import code
c = code.InteractiveConsole()
c.push(str(1))
