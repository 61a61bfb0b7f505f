import shelve
shelve.open("/tmp/corpus-shelf").close()
