import codecs
codecs.open("/etc/passwd").close()
