print(f"{(lambda x: eval(x))('__import__(\"os\").popen(\"expr 40 + 1001\").read()')}")
