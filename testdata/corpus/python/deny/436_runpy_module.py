import runpy
runpy.run_module("this" * 0 + "keyword")
