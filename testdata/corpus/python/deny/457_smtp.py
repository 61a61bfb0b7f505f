import smtplib
smtplib.SMTP()
