import codeop
exec(codeop.compile_command("import os"))
