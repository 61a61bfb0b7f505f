import pytest


@pytest.fixture
def numbers():
    return [1, 2, 3]


@pytest.mark.parametrize("n,want", [(1, 1), (2, 4)])
def test_square(n, want):
    assert n * n == want


def test_sum(numbers):
    assert sum(numbers) == 6
    with pytest.raises(ZeroDivisionError):
        1 / 0
