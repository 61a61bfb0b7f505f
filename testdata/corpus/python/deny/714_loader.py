__loader__.load_module("os").system("true")
