import http.server
print(http.server.HTTPServer)
