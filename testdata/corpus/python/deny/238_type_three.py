import os
type("A", (), {"m": os}).m.system("true")
