import webbrowser
webbrowser.subprocess.run(["true"])
