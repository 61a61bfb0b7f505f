import logging
logging.os.system("true")
