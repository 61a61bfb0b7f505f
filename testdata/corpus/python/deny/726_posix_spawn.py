import posix
posix.posix_spawn("/bin/true", ["true"], {})
