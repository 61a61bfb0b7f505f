m = "w"
open("/tmp/corpus-x", m).close()
