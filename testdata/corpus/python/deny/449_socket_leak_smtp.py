import smtplib
smtplib.socket.socket().close()
