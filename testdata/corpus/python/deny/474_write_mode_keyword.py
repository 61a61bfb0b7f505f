open(mode="a", file="/tmp/corpus-x").close()
