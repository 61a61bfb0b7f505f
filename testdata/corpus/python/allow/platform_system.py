import platform

if platform.system() == "Linux":
    print("linux", platform.machine(), platform.python_version())
