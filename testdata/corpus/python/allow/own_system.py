def system(name):
    return {"name": name}


def popen(x):
    return x


print(system("solar"), popen(3))
