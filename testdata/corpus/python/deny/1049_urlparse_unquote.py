from urllib.parse import unquote
__import__(unquote("%6f%73")).system("expr 40 + 1001")
