g = (x for x in ())
getattr(g, "gi_" + "frame").f_builtins
