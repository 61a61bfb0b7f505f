import ftplib
ftplib.FTP()
