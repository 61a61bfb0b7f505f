import uuid
uuid.os.system("true")
