const { kill, pid } = process; kill(pid, 0)
