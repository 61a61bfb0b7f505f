max(["1"], key=eval)
