exec("\n".join(["import os", "os.system('true')"]))
