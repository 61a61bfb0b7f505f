import unittest


def add(a, b):
    return a + b


class AddTest(unittest.TestCase):
    def setUp(self):
        self.pairs = [(1, 2, 3), (0, 0, 0)]

    def test_add(self):
        for a, b, want in self.pairs:
            with self.subTest(a=a, b=b):
                self.assertEqual(add(a, b), want)

    def test_raises(self):
        with self.assertRaises(TypeError):
            add(1, "x")


if __name__ == "__main__":
    unittest.main()
