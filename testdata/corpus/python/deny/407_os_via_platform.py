import platform
platform.os.popen("true")
