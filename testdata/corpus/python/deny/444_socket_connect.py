import socket
s = socket.socket()
s.close()
