import http.client
http.client.socket.socket().close()
