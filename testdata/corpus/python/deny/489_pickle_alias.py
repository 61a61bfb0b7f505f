from pickle import loads as decode
decode(b"I1\n.")
