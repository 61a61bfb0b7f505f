import mimetypes
mimetypes.os.system("true")
