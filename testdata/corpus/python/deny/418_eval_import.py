__import__("builtins").exec("")
