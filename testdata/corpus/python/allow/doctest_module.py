"""Tools for words.

>>> reverse("abc")
'cba'
"""


def reverse(s):
    """Return s backwards.

    >>> reverse("xy")
    'yx'
    """
    return s[::-1]


print(reverse("hello"))
