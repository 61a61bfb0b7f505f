import http.server
http.server.os.system("true")
