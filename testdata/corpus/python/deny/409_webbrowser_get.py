import webbrowser
webbrowser.get("true %s").open("x")
