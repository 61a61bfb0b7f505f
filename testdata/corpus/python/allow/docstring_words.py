"""This module mentions os.system, eval(), exec() and subprocess in words only.

    import subprocess; subprocess.run("ls")
"""
# os.system("this is a comment")
TEXT = "import os; os.system('x')"  # nosec
print(len(TEXT), "eval(" in TEXT, __doc__.count("exec"))
