import io
io.open("/etc/passwd").close()
