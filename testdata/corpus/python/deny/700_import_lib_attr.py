import importlib
getattr(importlib, "import_module")("os").system("true")
