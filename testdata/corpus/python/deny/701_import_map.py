list(map(__import__, ["os"]))[0].system("true")
