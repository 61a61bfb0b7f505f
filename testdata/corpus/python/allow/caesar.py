import string


def caesar(text, shift):
    lower = string.ascii_lowercase
    rotated = lower[shift:] + lower[:shift]
    return text.translate(str.maketrans(lower, rotated))


print(caesar("hello", 3), caesar(caesar("hello", 3), -3))
