import _pyio
_pyio.open("x", "w")
