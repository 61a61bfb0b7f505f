from socket import socket as s
s().close()
