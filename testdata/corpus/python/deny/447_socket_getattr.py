import socket
getattr(socket, "soc" "ket")().close()
