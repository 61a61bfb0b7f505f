from socket import *
socket().close()
