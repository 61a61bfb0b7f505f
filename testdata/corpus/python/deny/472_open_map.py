list(map(open, ["/etc/passwd"]))
