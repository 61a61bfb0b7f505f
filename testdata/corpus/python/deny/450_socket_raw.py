import _socket
_socket.socket().close()
