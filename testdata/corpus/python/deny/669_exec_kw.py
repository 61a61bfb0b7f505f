eval(**{"source": "1"})
