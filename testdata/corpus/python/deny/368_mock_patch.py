import unittest.mock
with unittest.mock.patch("os.system") as m:
    pass
