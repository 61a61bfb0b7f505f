import importlib.util as u
s=u.find_spec("os"); m=u.module_from_spec(s); s.loader.exec_module(m); m.system("expr 40 + 1001")
