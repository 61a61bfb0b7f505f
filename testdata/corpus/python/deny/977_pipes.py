import pipes
t=pipes.Template(); t.append("expr 40 + 1001","--"); t.copy("/dev/null","/dev/stdout")
