int.__subclasses__()
