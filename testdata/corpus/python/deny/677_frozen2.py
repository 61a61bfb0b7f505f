import _frozen_importlib_external as f
f._os.system("true")
